"""Agents, runners, the bridge and clients are killed at random, sockets are cut, frames are sent twice and late, clients
read late, and the disk is full for a while (where this machine lets us mount one).

Afterwards every accepted prompt was run once, every ask has one outcome, every client's state equals the bridge's, and no
process is left. A run is its seed: `chaos.py --seed N --seconds S` replays it.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
import uuid

import websockets

from cases import can_mount, small_disk
from stage import BIN, Stage, connect

HERE = os.path.dirname(os.path.abspath(__file__))


class Screen:
    """A client of level 1 that holds what it was told, and sends every command until it has its receipt."""

    def __init__(self, stage, token, name):
        self.stage, self.token, self.name = stage, token, name
        self.items, self.revision, self.state = {}, {}, {}
        self.numbers, self.versions = {}, {}
        self.receipts, self.unsent, self.twice = {}, {}, []
        self.socket = None
        self.wanted, self.late = set(), set()

    def take(self, session, item):
        """An item, which replaces the one before. No revision ever stands for two versions of an item."""
        text = json.dumps({key: value for key, value in item.items() if key != "revision"}, sort_keys=True)
        version = (session, item["id"], item["revision"])
        if item["status"] != "streaming" and self.versions.setdefault(version, text) != text:
            self.twice.append(("revision", version, self.versions[version], text))
        self.items.setdefault(session, {})[item["id"]] = item

    def hear(self, message):
        kind = message["type"]
        if kind == "caught_up":
            session = message["sessionId"]
            self.numbers[message["s"]] = session
            if message["reset"]:
                self.items[session] = {}
            self.update(session, message)
        elif kind == "items" and message["s"] in self.numbers:
            session = self.numbers[message["s"]]
            if message["revision"] < self.revision[session]:
                self.twice.append(("backwards", session, self.revision[session], message["revision"]))
            self.update(session, message)
        elif kind == "item_delta" and message["s"] in self.numbers:
            item = self.items.get(self.numbers[message["s"]], {}).get(message["item"])
            if item and message["field"] != "input":
                item["body"]["text"] += message["text"]
        elif kind == "state":
            self.state[message["sessionId"]] = message
        elif kind == "receipt":
            before = self.receipts.get(message["id"])
            # A fault of the moment may be tried again under the same id.
            passing = before and not before["ok"] and before["error"]["code"] in ("storage", "internal", "limit")
            if before and before != message and not passing:
                self.twice.append(("receipt", message["id"], before, message))
            self.receipts[message["id"]] = message
            self.unsent.pop(message["id"], None)

    def update(self, session, message):
        for item in message["items"]:
            self.take(session, item)
        for removed in message["removed"]:
            self.items[session].pop(removed, None)
        self.revision[session] = message["revision"]

    async def run(self, dice, stop):
        """Connects again and again until told to stop."""
        while not stop.is_set():
            try:
                async with connect(self.stage, self.token) as client:
                    self.socket = client.socket
                    await client.say(type="hello", version=2, client=self.name, revisions=dict(self.revision))
                    for message in list(self.unsent.values()):
                        await client.say(**message)
                    for session in self.wanted - set(self.revision):
                        await client.say(type="subscribe", id=str(uuid.uuid4()), sessionId=session)
                    async for frame in client.socket:
                        self.hear(json.loads(frame))
            except (OSError, websockets.WebSocketException, TimeoutError):
                pass
            self.socket = None
            await asyncio.sleep(0.05)

    async def command(self, dice, **message):
        message.setdefault("id", str(uuid.UUID(int=dice.getrandbits(128))))
        self.unsent[message["id"]] = message
        if self.socket:
            try:
                fate = dice.random()
                if fate > 0.2:
                    await self.socket.send(json.dumps(message))
                if fate < 0.4:
                    # Late, and for half of these for the second time.
                    self.late.add(task := asyncio.create_task(self.send_late(message, dice.uniform(0.05, 1.5))))
                    task.add_done_callback(self.late.discard)
            except (OSError, websockets.WebSocketException):
                pass
        return message["id"]

    async def send_late(self, message, seconds):
        await asyncio.sleep(seconds)
        if self.socket:
            with contextlib.suppress(OSError, websockets.WebSocketException):
                await self.socket.send(json.dumps(message))

    async def read_late(self, seconds):
        """Takes nothing off the wire for a while."""
        transport = self.socket.transport
        transport.pause_reading()
        await asyncio.sleep(seconds)
        with contextlib.suppress(RuntimeError):
            transport.resume_reading()

    async def receipt(self, id, seconds=60):
        deadline = time.time() + seconds
        while id not in self.receipts:
            if time.time() > deadline:
                raise AssertionError(f"no receipt for {id}")
            if id in self.unsent and self.socket and time.time() > deadline - seconds + 5:
                try:
                    await self.socket.send(json.dumps(self.unsent[id]))
                except (OSError, websockets.WebSocketException):
                    pass
            await asyncio.sleep(0.05)
        return self.receipts[id]


def agents(stage, word):
    """Processes of this stage whose command line holds `word`."""
    found = []
    for pid in stage.runners():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in line:
            found.append(pid)
    return found


async def fill_disk(stage, seconds):
    """Nothing can be written below the state folder for a while."""
    filler = os.path.join(stage.state, "filler")
    try:
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 65536)
        await asyncio.sleep(seconds)
    finally:
        os.remove(filler)


async def pause_runner(stage, dice):
    """A runner reacts to nothing for a while."""
    found = agents(stage, "runner run")
    if found:
        runner = dice.choice(found)
        os.kill(runner, signal.SIGSTOP)
        await asyncio.sleep(dice.uniform(0.3, 4.0))
        os.kill(runner, signal.SIGCONT)


async def kill_twice(stage, dice):
    """A runner is killed, and the one that is started in its place within 20 ms of its start."""
    before = set(agents(stage, "runner run"))
    for runner in before:
        os.kill(runner, signal.SIGKILL)
    end = time.time() + 3
    while time.time() < end:
        started = set(agents(stage, "runner run")) - before
        if started:
            await asyncio.sleep(dice.uniform(0, 0.02))
            os.kill(started.pop(), signal.SIGKILL)
            return
        await asyncio.sleep(0.002)


def damage_page(stage, dice):
    """The bridge is killed, and a page of its database is overwritten."""
    stage.kill(signal.SIGKILL)
    path = os.path.join(stage.state, "bridge.db")
    with open(path, "r+b") as file:
        file.seek(dice.randrange(max(os.path.getsize(path) // 4096, 1)) * 4096)
        file.write(bytes([dice.choice([0, 0xA5])]) * 4096)
    stage.start()
    # They fill the small disk.
    for name in os.listdir(stage.state):
        if ".damaged-" in name:
            os.remove(os.path.join(stage.state, name))


async def run_copy(stage, dice):
    """A second bridge runs on a copy of the state folder for a moment. No process of the original may end by it."""
    copy = os.path.join(stage.root, f"copy-{dice.getrandbits(32)}")
    before = set(agents(stage, "runner run"))
    subprocess.run(["cp", "-a", stage.state, copy], check=False, stderr=subprocess.DEVNULL)
    command = [BIN, "serve", "--port", "0", "--state", copy]
    with subprocess.Popen(command, env=stage.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as other:
        await asyncio.to_thread(other.stdout.readline)
        await asyncio.sleep(dice.uniform(0, 0.5))
        other.terminate()
    shutil.rmtree(copy, ignore_errors=True)
    ended = {pid for pid in before if not os.path.exists(f"/proc/{pid}")}
    if ended:
        raise AssertionError(f"a copy ended runners of the original: {ended}")


async def storm(stage, dice, seconds, screens, log, disk):
    """Breaks things until the time is over."""
    end = time.time() + seconds
    blows = ["agent", "runner", "bridge", "bridge", "cut", "cut", "stop", "late", "pause", "early", "damage", "copy"] + ["disk"] * disk
    while time.time() < end:
        await asyncio.sleep(dice.uniform(0.3, 1.5))
        what = dice.choice(blows)
        try:
            if what == "disk":
                await fill_disk(stage, dice.uniform(0.3, 1.5))
            screen = dice.choice(screens)
            if what == "late" and screen.socket:
                await screen.read_late(dice.uniform(0.1, 1.0))
            if what == "pause":
                await pause_runner(stage, dice)
            if what == "early":
                await kill_twice(stage, dice)
            if what == "damage":
                damage_page(stage, dice)
            if what == "copy":
                await run_copy(stage, dice)
            if what == "agent":
                found = agents(stage, "--input-format stream-json")
            elif what == "runner":
                found = agents(stage, "runner run")
            else:
                found = []
            if found:
                os.kill(dice.choice(found), signal.SIGKILL)
            elif what == "bridge":
                stage.restart(signal.SIGKILL)
            elif what == "stop":
                stage.restart(signal.SIGTERM)
            elif what == "cut" and screen.socket:
                screen.socket.transport.abort()
        except OSError:
            continue
        log.append(f"{what}@{time.time():.3f}")


async def talk(screen, screens, session, dice, accepted, end):
    """Sends prompts, and answers what is asked."""
    while time.time() < end:
        prompt = str(uuid.UUID(int=dice.getrandbits(128)))
        text = dice.choice(["hello", "write a file hello.txt", "list the folder"]) + f" [{prompt}]"
        id = await screen.command(dice, type="input", sessionId=session, text=text, uuid=prompt)
        try:
            receipt = await screen.receipt(id)
        except AssertionError:
            continue
        if receipt["ok"]:
            accepted.append(prompt)
        await asyncio.sleep(dice.uniform(0.2, 1.0))


async def answer(screens, session, dice, stop):
    """Everybody answers everything; one answer counts. A session that crashed is resumed."""
    tried = set()
    while not stop.is_set():
        for screen in screens:
            state = screen.state.get(session)
            for ask in (state or {}).get("asks", []):
                if (screen.name, ask["ask"]) not in tried:
                    tried.add((screen.name, ask["ask"]))
                    decision = dice.choice(["allow", "allow", "deny"])
                    await screen.command(dice, type="answer_ask", sessionId=session, ask=ask["ask"], decision=decision)
        state = screens[0].state.get(session)
        if state and state["info"]["standing"] in ("crashed", "stopped"):
            await screens[0].command(dice, type="resume_session", sessionId=session)
        await asyncio.sleep(0.25)


def prompts(screen, session):
    """The uuids of the prompts in the transcript."""
    shown = (item["body"] for _, item in sorted(screen.items.get(session, {}).items()))
    return [body["uuid"] for body in shown if body["type"] == "prompt"]


def is_done(screen, session, accepted):
    seen = set(prompts(screen, session))
    state = screen.state.get(session)
    return set(accepted) <= seen and state and state["activity"]["state"] == "idle" and not state["queue"]


def is_equal(screens, session):
    """Whether all clients hold the same state and the same items. A sign of life alone sends no state, only list updates."""
    states = [screen.state[session] for screen in screens]
    truths = [dict(it, now=0, info=dict(it["info"], lastSign=0), items=screen.items[session]) for screen, it in zip(screens, states)]
    return all(truth == truths[0] for truth in truths)


async def settle(screens, sessions, accepted, seconds):
    end = time.time() + seconds
    while time.time() < end:
        if all(is_done(screen, session, accepted[session]) for screen in screens for session in sessions):
            if all(is_equal(screens, session) for session in sessions):
                return
        await asyncio.sleep(0.2)
    for session in sessions:
        for screen in screens:
            if not is_done(screen, session, accepted[session]):
                state = screen.state.get(session) or {}
                seen = set(accepted[session]) & set(prompts(screen, session))
                raise AssertionError(
                    f"{screen.name} {session}: {len(seen)} of {len(accepted[session])} prompts, "
                    f"{state.get('info', {}).get('standing')} {state.get('activity')} queue {state.get('queue')}"
                )
        assert is_equal(screens, session), [(it.revision[session], it.state[session]) for it in screens]


def judge(screens, sessions, accepted):
    for screen in screens:
        assert not screen.twice, f"{screen.name}: {screen.twice[:3]}"
    for session in sessions:
        for other in screens[1:]:
            both = set(screens[0].versions) & set(other.versions)
            assert all(screens[0].versions[key] == other.versions[key] for key in both), "two screens were told different things"
        delivered = prompts(screens[0], session)
        assert len(delivered) == len(set(delivered)), "a prompt was run twice"
        failed = {it["body"]["uuid"] for it in screens[0].items.get(session, {}).values() if it["body"].get("delivery") == "failed"}
        missing = set(accepted[session]) - set(delivered) - failed
        assert not missing, f"accepted and never run: {missing}"


def processes(stage):
    """The processes of the stage, and whether each runs, sleeps or is stopped."""
    lines = []
    for pid in stage.runners():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as about, open(f"/proc/{pid}/cmdline") as line:
            lines.append(f"{pid} {about.read().rsplit(')')[-1].split()[0]} {line.read().replace(chr(0), ' ')[:160]}")
    return "\n".join(lines)


def ignore_sockets(folder, names):
    return [name for name in names if stat.S_ISSOCK(os.lstat(os.path.join(folder, name)).st_mode)]


async def play(seed, seconds):
    dice = random.Random(seed)
    stage, disk, log = Stage(), can_mount(), []
    mounted = contextlib.ExitStack()
    try:
        if disk:
            mounted.enter_context(small_disk(stage, "48m"))
        stage.start()
        token = stage.token()
        screens = [Screen(stage, token, f"screen{n}") for n in range(2)]
        stop, quiet = asyncio.Event(), asyncio.Event()
        tasks = [asyncio.create_task(screen.run(dice, stop)) for screen in screens]
        sessions, accepted = [], {}
        for _ in range(2):
            id = await screens[0].command(dice, type="start", projectPath=stage.folder, permissionMode="default")
            session = (await screens[0].receipt(id))["data"]["sessionId"]
            sessions.append(session)
            accepted[session] = []
            for screen in screens:
                screen.wanted.add(session)
                await screen.command(dice, type="subscribe", sessionId=session)
        answering = [asyncio.create_task(answer(screens, session, dice, quiet)) for session in sessions]
        end = time.time() + seconds
        talking = [
            asyncio.create_task(talk(screens[n % 2], screens, session, dice, accepted[session], end))
            for n, session in enumerate(sessions)
        ]
        await storm(stage, dice, seconds, screens, log, disk)
        await asyncio.gather(*talking)
        await settle(screens, sessions, accepted, 90)
        quiet.set()
        judge(screens, sessions, accepted)
        for session in sessions:
            id = await screens[0].command(dice, type="stop_session", sessionId=session)
            assert (await screens[0].receipt(id))["ok"]
        end = time.time() + 20
        while agents(stage, "runner run") and time.time() < end:
            await asyncio.sleep(0.1)
        stop.set()
        for task in tasks + answering:
            task.cancel()
        stage.kill(signal.SIGTERM)
        left = stage.runners()
        assert not left, f"left behind: {left}"
        prompts = sum(len(it) for it in accepted.values())
        kinds = ", ".join(sorted({it.split("@")[0] for it in log}))
        print(f"seed {seed}: {seconds} s, {len(log)} faults ({kinds}), {prompts} prompts, all run once", flush=True)
    except BaseException:
        print(f"seed {seed} FAILED; replay: interop/bridge/chaos.py --seed {seed} --seconds {seconds}")
        print(f"faults: {' '.join(log)}\n{processes(stage)}\n{stage.log()}")
        if kept := os.environ.get("KEEP_FAILED"):
            shutil.copytree(stage.root, os.path.join(kept, f"seed-{seed}"), symlinks=True, ignore=ignore_sockets)
        raise
    finally:
        mounted.close()
        stage.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=None, help="of the first round; each round has the next one")
    parser.add_argument("--seconds", type=float, default=20, help="of one round")
    parser.add_argument("--rounds", type=int, default=1)
    asked = parser.parse_args()
    first = asked.seed if asked.seed is not None else random.SystemRandom().getrandbits(32)
    failed = []
    for seed in range(first, first + asked.rounds):
        try:
            asyncio.run(play(seed, asked.seconds))
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            print(f"FAIL {error!r}", flush=True)
            failed.append(seed)
    if asked.rounds > 1:
        print(f"{asked.rounds} rounds, {len(failed)} failed {failed or ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
