"""Tests of the MCP servers of $SLUICE_BIN, `mcp serve` and `mcp serve --agent`, with the official Python MCP client.

Arguments select tests by name. The last line of output is 'N passed, N failed'.
"""

import asyncio
import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult

SERVER = os.environ["SLUICE_BIN"]
MODEL = shlex.split(os.environ.get("SLUICE_SIM", "")) or [SERVER, "sim", "model"]
SECONDS = 60
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def equal(seen, wanted):
    assert seen == wanted, f"{seen!r} is not {wanted!r}"


class Lab:
    """A folder, a home, a scripted model if replies are given, and sessions with a server there."""

    def __init__(self, *replies):
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-interop-", ignore_cleanup_errors=True)
        root = Path(self.folder.name)
        self.cwd, self.home, script = root / "work", root / "home", root / "script.json"
        self.cwd.mkdir()
        self.home.mkdir()
        self.model, self.address = None, "http://127.0.0.1:9"
        if replies:
            script.write_text(json.dumps({"replies": replies}))
            self.model = subprocess.Popen([*MODEL, str(script)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            self.address = self.model.stdout.readline().strip()

    @contextlib.asynccontextmanager
    async def session(self, *arguments, answer=None):
        env = {
            "PATH": os.environ["PATH"],
            "ANTHROPIC_BASE_URL": self.address,
            "ANTHROPIC_API_KEY": "sk-test",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
        }
        server = StdioServerParameters(command=SERVER, args=["mcp", "serve", *arguments], env=env, cwd=self.cwd)
        requested = []

        async def elicited(_context, params):
            requested.append(params.message)
            return ElicitResult(action="accept", content={"decision": answer})

        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write, elicitation_callback=elicited if answer else None) as session:
                session.hello = await session.initialize()
                session.requested = requested
                yield session

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.model:
            self.model.kill()
            self.model.wait()
            self.model.stdout.close()
        self.folder.cleanup()


def only_text(result):
    (block,) = result.content
    return block.text


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def call(name, **input):
    return [{"type": "tool_use", "id": "toolu_0001", "name": name, "input": input}]


@test
async def tools_are_listed_and_called():
    with Lab() as lab:
        (lab.cwd / "a.txt").write_text("alpha\n")
        async with lab.session() as session:
            equal(session.hello.server_info.name, "sluice")
            names = {tool.name for tool in (await session.list_tools()).tools}
            assert {"Bash", "Read", "Write", "Edit", "Glob", "Grep"} <= names, names
            read = await session.call_tool("Read", {"file_path": "a.txt"})
            equal(read.structured_content["file"]["content"], "alpha\n")
            equal(json.loads(only_text(read)), read.structured_content)
            ran = await session.call_tool("Bash", {"command": "cat a.txt | wc -l"})
            equal(ran.structured_content["stdout"].strip(), "1")
            bad = await session.call_tool("Read", {"path": 3})
            assert bad.is_error and "file_path" in only_text(bad), bad
            try:
                await session.call_tool("Nothing", {})
            except MCPError as error:
                assert "Tool Nothing not found" in str(error), error
            else:
                raise AssertionError("an unknown tool was called")


@test
async def calls_without_permission_do_not_run():
    with Lab() as lab:
        async with lab.session() as session:
            refused = await session.call_tool("Bash", {"command": "touch never"})
            assert refused.is_error and "elicitation" in only_text(refused), refused
            refused = await session.call_tool("Write", {"file_path": "never", "content": ""})
            assert "--permission-mode acceptEdits" in only_text(refused), refused
        async with lab.session(answer="deny") as session:
            refused = await session.call_tool("Bash", {"command": "touch never"})
            assert refused.is_error and "denied" in only_text(refused), refused
            assert "touch never" in session.requested[0], session.requested
        equal(list(lab.cwd.iterdir()), [])


@test
async def calls_run_with_an_answer_or_a_rule():
    with Lab() as lab:
        async with lab.session(answer="allow once") as session:
            ran = await session.call_tool("Bash", {"command": "touch requested"})
            assert not ran.is_error, ran
            equal(len(session.requested), 1)
        async with lab.session("--allowedTools", "Bash(touch:*)", "--permission-mode", "acceptEdits") as session:
            ran = await session.call_tool("Bash", {"command": "touch ruled"})
            assert not ran.is_error, ran
            ran = await session.call_tool("Write", {"file_path": "edited", "content": "x"})
            assert not ran.is_error, ran
        equal(sorted(path.name for path in lab.cwd.iterdir()), ["edited", "requested", "ruled"])


@test
async def calls_run_concurrently():
    with Lab() as lab:
        async with lab.session("--allowedTools", "Bash") as session:
            await session.call_tool("Bash", {"command": "mkfifo a b"})
            first, second = await asyncio.gather(
                session.call_tool("Bash", {"command": "echo 1 > a; cat b"}),
                session.call_tool("Bash", {"command": "cat a; echo 2 > b"}),
            )
            equal((first.structured_content["stdout"], second.structured_content["stdout"]), ("2", "1"))


@test
async def agent_runs_requests_permission_and_continues():
    with Lab(call("Bash", command="touch made"), text("Made it"), text("You are welcome")) as lab:
        progress_messages = []

        async def progress(_progress, _total, message):
            progress_messages.append(message)

        async with lab.session("--agent", answer="allow once") as session:
            equal([tool.name for tool in (await session.list_tools()).tools], ["run", "reply", "cancel"])
            ran = await session.call_tool("run", {"prompt": "make it"}, progress_callback=progress)
            equal((only_text(ran), ran.is_error), ("Made it", False))
            assert (lab.cwd / "made").exists()
            assert "touch made" in session.requested[0], session.requested
            id = ran.structured_content["session_id"]
            equal(progress_messages[0], f"session {id}")
            replied = await session.call_tool("reply", {"session_id": id, "prompt": "thanks"})
            equal((only_text(replied), replied.structured_content["session_id"]), ("You are welcome", id))
            idle = await session.call_tool("cancel", {})
            equal(idle.structured_content, {"cancelled": []})


@test
async def session_of_an_earlier_server_is_resumed():
    with Lab(text("First"), text("Second")) as lab:
        async with lab.session("--agent") as session:
            id = (await session.call_tool("run", {"prompt": "one"})).structured_content["session_id"]
        async with lab.session("--agent") as session:
            replied = await session.call_tool("reply", {"session_id": id, "prompt": "two"})
            equal((only_text(replied), replied.structured_content["session_id"]), ("Second", id))
            lost = await session.call_tool("reply", {"session_id": "00000000-0000-4000-8000-000000000000", "prompt": "?"})
            assert lost.is_error and "No conversation found" in only_text(lost), lost


@test
async def agent_is_denied_without_elicitation():
    with Lab(call("Bash", command="touch never"), text("Could not")) as lab:
        async with lab.session("--agent") as session:
            ran = await session.call_tool("run", {"prompt": "make it"})
            equal(only_text(ran), "Could not")
            (denied,) = ran.structured_content["permission_denials"]
            equal(denied["tool_input"]["command"], "touch never")
        assert not (lab.cwd / "never").exists()


async def main(names):
    passed = failed = 0
    for function in TESTS:
        if names and function.__name__ not in names:
            continue
        started = time.monotonic()
        try:
            await asyncio.wait_for(function(), SECONDS)
        except BaseException as error:  # noqa: B902: a cancelled test counts as failed
            failed += 1
            print(f"FAILED {function.__name__}")
            traceback.print_exception(error)
            if isinstance(error, KeyboardInterrupt):
                break
        else:
            passed += 1
            print(f"ok     {function.__name__} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
