"""The state folder is closed to other users whatever the umask: its folders are 0700, its files and sockets 0600."""

import asyncio
import json
import os
import stat
import struct
import sys
import urllib.request
import uuid
import zlib

from hard import command, hello, is_record, start
from stage import Stage, connect


def png(shade):
    """A picture of one pixel."""
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(bytes([0, shade]))) + part(b"IEND", b"")


def request(stage, token, path, body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/png"}
    with urllib.request.urlopen(urllib.request.Request(stage.url + path, data=body, headers=headers)) as answer:
        return answer.read()


def opened(state):
    """What others could read or enter in the state folder. The scratch folder is a project: its files are the agent's."""
    for folder, folders, files in os.walk(state):
        if folder == state and "scratch" in folders:
            folders.remove("scratch")
        for name in (*folders, *files, ""):
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            wanted = 0o700 if stat.S_ISDIR(mode) else 0o600
            if stat.S_IMODE(mode) != wanted:
                yield f"{os.path.relpath(path, state)} is {stat.S_IMODE(mode):o}, not {wanted:o}"


async def use(stage, token):
    """One use of everything that leaves files: prompts, an image, an export, a device, the runner's log and socket."""
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client, permissionMode="default")
        image = json.loads(request(stage, token, "/api/upload", png(0)))["hash"]
        # An image without a prompt stays in the uploads folder.
        request(stage, token, "/api/upload", png(255))
        sent = await command(client, type="input", sessionId=session, text="hello", images=[{"hash": image}], uuid=str(uuid.uuid4()))
        assert sent["ok"], sent
        await client.until(is_record("result"))
        assert (await command(client, type="rename", sessionId=session, title="Mine"))["ok"]
        exported = request(stage, token, f"/api/sessions/{session}/export.html")
        assert b"hello" in exported, exported[:300]
    return session


def main():
    before = os.umask(0)
    try:
        with Stage() as stage:
            token = stage.token()
            session = asyncio.run(use(stage, token))
            live = sorted(opened(stage.state))
            names = {name for _, folders, files in os.walk(stage.state) for name in (*folders, *files)}
            stage.restart()
            after = sorted(opened(stage.state))
    finally:
        os.umask(before)
    # What the check is about was there to be checked.
    missing = {"bridge.db", "bridge.db-wal", "bridge.db-shm", "bridge.json", "session.json", "blobs", session} - names
    if missing or live or after:
        print(f"bridge: modes failed: not written: {sorted(missing)}; open to others: {live}; after a restart: {after}; {sorted(names)}")
        return 1
    print("bridge: modes: the state folder is closed to other users under umask 000")
    return 0


if __name__ == "__main__":
    sys.exit(main())
