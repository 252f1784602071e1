"""What the tests of the bridge share: a test with a stage of its own, and ways to look at it."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys

from hard import agent, cmdline, command
from stage import BIN, Stage

TESTS = []


def test(mode="plain", **how):
    """A test with a stage of its own, whose agent is the stand-in of `mode`."""

    def add(function):
        TESTS.append((function, mode, how))
        return function

    return add


def standing(*words):
    return lambda it: it["type"] == "state" and it["info"]["standing"] in words


async def soon(condition, seconds=20, why="it never came to be"):
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end, why
        await asyncio.sleep(0.02)


def runners(stage):
    return [pid for pid in stage.runners() if b"runner\0run" in cmdline(pid)]


def refusal(stage, *words):
    """Starts a bridge that must not start. Gives what it says."""
    done = subprocess.run([BIN, "serve", *words], env=stage.env, capture_output=True, text=True, timeout=30)
    assert done.returncode != 0 and not done.stdout, (done.returncode, done.stdout)
    return done.stderr


@contextlib.contextmanager
def small_disk(stage, size):
    """The state folder on a disk of its own."""
    os.makedirs(stage.state, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "none", stage.state], check=True)
    try:
        yield
    finally:
        if stage.process and stage.process.poll() is None:
            stage.kill(signal.SIGTERM)
        for pid in stage.runners():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        subprocess.run(["umount", "-l", stage.state], check=False)


def can_mount():
    """Whether this machine lets us have a disk of our own: it takes the rights of its administrator."""
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0 and os.getuid() == 0


def resident(pid):
    """Memory of a process, in MiB."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


async def records(client, session):
    """The kept lines of a session, as a client that follows them from now on gets them."""
    assert (await command(client, type="unsubscribe", sessionId=session))["ok"]
    client.at = len(client.heard)
    assert (await command(client, type="follow_lines", sessionId=session, turns=200))["ok"]
    return [it for it in client.heard[client.at :] if it["type"] == "line" and it["seq"] is not None]


async def items(client, session):
    """The items of a session, as a client that subscribes now gets them. From then on the client gets lines again."""
    assert (await command(client, type="unsubscribe", sessionId=session))["ok"]
    at = len(client.heard)
    assert (await command(client, type="subscribe", sessionId=session, turns=200))["ok"]
    found = next(it for it in client.heard[at:] if it["type"] == "caught_up")["items"]
    assert (await command(client, type="follow_lines", sessionId=session))["ok"]
    return found


def main():
    wanted, failed, passed, skipped = sys.argv[1:], 0, 0, 0
    for function, mode, how in TESTS:
        if wanted and function.__name__ not in wanted:
            continue
        stage = Stage(agent=how.get("agent") or agent(mode), extra=how.get("extra", ()))
        try:
            token = None
            if how.get("start", True):
                token = stage.start().token()
            why = asyncio.run(function(stage, token))
            passed, skipped = passed + (why is None), skipped + (why is not None)
            print(f"{'ok  ' if why is None else why} {function.__name__}", flush=True)
        except Exception as error:  # noqa: BLE001 - every failure is printed, and the other tests still run
            failed += 1
            log = stage.log()[-600:] if os.path.exists(os.path.join(stage.root, "log")) else ""
            print(f"FAIL {function.__name__}: {error!r} {log}", flush=True)
        finally:
            stage.close()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0
