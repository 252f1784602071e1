#!/usr/bin/env python3
"""Measures resuming a large transcript: the time to the first line, and the memory.

    SLUICE_BIN=target/release/sluice python3 bench/resume.py [--mib 100] [--live-kib 2048] [--rounds 5] [SHAPE ...]

Generates transcripts of one size and several shapes: compacted often, so that only a small part is live (sent to the model);
with a live fifth; never compacted, with large results or with short lines only. Resumes each and measures the time from the
start of the process to its first line. Uses only the standard library; needs Linux.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"]
MAX_MS = 400
MAX_TIMES_LIVE = 3
KIB, MIB = 1024, 1024 * 1024


def lines(session, cwd, size, repeats=40):
    """Generates the lines of a compacted part of a conversation of about `size` bytes; few repeats give short lines."""
    common = {"isSidechain": False, "userType": "external", "entrypoint": "sdk-cli", "cwd": cwd, "sessionId": session, "version": "2.1.325", "gitBranch": "main"}
    number, parent, made = 0, None, 0
    words = "the quick brown fox jumps over the lazy dog \n" * repeats

    def entry(**fields):
        nonlocal parent, made
        own = str(uuid.uuid4())
        line = json.dumps({"parentUuid": parent, **fields, "uuid": own, "timestamp": "2026-01-01T00:00:00.000Z", **common}, separators=(",", ":"))
        parent, made = own, made + len(line) + 1
        return line

    yield entry(type="system", subtype="compact_boundary", content="Conversation compacted", compactMetadata={"trigger": "auto", "preTokens": 1})
    yield entry(type="user", message={"role": "user", "content": "This session is being continued from a previous conversation. " + words}, isCompactSummary=True)
    while made < size:
        number += 1
        message, call = f"msg_{uuid.uuid4().hex}", f"toolu_{uuid.uuid4().hex}"
        yield entry(type="user", message={"role": "user", "content": f"prompt {number}"}, promptSource="sdk")
        yield entry(type="assistant", message={"id": message, "type": "message", "role": "assistant", "model": "m", "content": [{"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "true"}}], "usage": {"input_tokens": 10, "output_tokens": 5}})
        source = parent
        yield entry(type="user", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": words}]}, toolUseResult={"stdout": words, "stderr": "", "interrupted": False}, sourceToolAssistantUUID=source)
        yield entry(type="assistant", message={"id": message + "b", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": words}], "usage": {"input_tokens": 10, "output_tokens": 5}})


def make(file, session, cwd, size, live, repeats=40):
    """Writes the transcript. Returns its size and that of its live part."""
    with open(file, "w") as out:
        while out.tell() < size - live:
            out.writelines(line + "\n" for line in lines(session, cwd, min(8 * MIB, size - live - out.tell()), repeats))
        before = out.tell()
        out.writelines(line + "\n" for line in lines(session, cwd, live, repeats))
        return out.tell(), out.tell() - before


def shapes(options):
    """Returns the size of the live part of each shape, and the number of repeats that determines the length of its lines."""
    size = options.mib * MIB
    return {
        "compacted": (options.live_kib * KIB, 40),
        "compacted-short-lines": (options.live_kib * KIB, 1),
        "a-fifth": (size // 5, 40),
        "whole": (size, 40),
        "whole-short-lines": (size, 1),
    }


def folder_of(cwd):
    """Returns the name of the folder that contains the transcripts of a working folder."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in os.path.realpath(cwd))


def peak(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) * KIB for line in status.splitlines() if line.startswith("VmHWM"))


def resume(agent, args, cwd, env):
    """Returns the milliseconds to the first line, and the peak memory up to the end of the turn, when everything was sent to the
    model."""
    began = time.perf_counter()
    process = subprocess.Popen([agent, *STREAM, *args], cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        process.stdin.write(json.dumps({"type": "user", "message": {"role": "user", "content": "bench-short"}}).encode() + b"\n")
        process.stdin.flush()
        first = process.stdout.readline()
        took = (time.perf_counter() - began) * 1000
        assert json.loads(first)["type"] == "system", first
        while (line := process.stdout.readline()) and b'"type":"result"' not in line:
            pass
        assert line and not json.loads(line)["is_error"], line
        return took, peak(process.pid)
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=100)
    parser.add_argument("--live-kib", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE")
    options = parser.parse_args()
    known = shapes(options)
    wanted = options.shapes or list(known)
    if unknown := [name for name in wanted if name not in known]:
        parser.error(f"{unknown[0]} is none of {', '.join(known)}")
    agent = os.path.abspath(os.environ["SLUICE_BIN"])
    all_held = True
    with tempfile.TemporaryDirectory(prefix="sluice-resume-") as folder, subprocess.Popen([sys.executable, HERE / "model.py"], stdout=subprocess.PIPE, text=True) as model:
        try:
            cwd, home = Path(folder) / "work", Path(folder) / "home"
            cwd.mkdir()
            home.mkdir()
            address = f"http://127.0.0.1:{int(model.stdout.readline())}"
            env = {"PATH": os.environ["PATH"], "HOME": str(home), "ANTHROPIC_API_KEY": "sk-test", "ANTHROPIC_BASE_URL": address}
            fresh = [resume(agent, [], cwd, env) for _ in range(options.rounds)]
            before = statistics.median(most for _, most in fresh)
            print(f"a new session: {statistics.median(ms for ms, _ in fresh):.0f} ms to its first line")
            for name in wanted:
                session = str(uuid.uuid4())
                file = home / ".claude/projects" / folder_of(cwd) / f"{session}.jsonl"
                file.parent.mkdir(parents=True, exist_ok=True)
                size, live = make(file, session, str(cwd), options.mib * MIB, *known[name])
                again = [resume(agent, ["--resume", session], cwd, env) for _ in range(options.rounds)]
                file.unlink()
                took = statistics.median(ms for ms, _ in again)
                more = statistics.median(most for _, most in again) - before
                held = took <= MAX_MS and more <= MAX_TIMES_LIVE * live
                all_held = all_held and held
                print(
                    f"{name:22} {size / MIB:4.0f} MiB, {live / MIB:5.1f} MiB live: first line {took:5.0f} ms (best {min(ms for ms, _ in again):.0f}), "
                    f"memory {more / MIB:6.1f} MiB more than a new session, {more / live:4.1f} times the live part: {'ok' if held else 'LIMIT EXCEEDED'}"
                )
        finally:
            model.kill()
    print(f"limits: at most {MAX_MS} ms and {MAX_TIMES_LIVE} times the live part")
    sys.exit(0 if all_held else 1)


if __name__ == "__main__":
    main()
