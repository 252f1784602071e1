"""Sessions of the official Python SDK with the agent in $SLUICE_BIN, against a scripted model.

Names on the command line choose the tests. Ends with 'N passed, N failed'.
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

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    UserMessage,
    query,
)

AGENT = os.environ["SLUICE_BIN"]
MODEL = shlex.split(os.environ.get("SLUICE_SIM", "")) or [AGENT, "sim", "model"]
SECONDS = 60
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Lab:
    """A folder, a home, a scripted model, and options that lead to all three."""

    def __init__(self, *replies):
        self.stderr = []
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-interop-", ignore_cleanup_errors=True)
        root = Path(self.folder.name)
        self.cwd, self.home, script = root / "work", root / "home", root / "script.json"
        self.cwd.mkdir()
        self.home.mkdir()
        script.write_text(json.dumps({"replies": replies}))
        self.model = subprocess.Popen([*MODEL, str(script)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.address = self.model.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.address

    def options(self, **more):
        env = {
            "ANTHROPIC_BASE_URL": self.address,
            "ANTHROPIC_API_KEY": "sk-test",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        return ClaudeAgentOptions(cli_path=AGENT, cwd=self.cwd, env=env, stderr=self.stderr.append, **more)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.model.kill()
        self.model.wait()
        self.model.stdout.close()
        self.folder.cleanup()
        if kind is None:
            assert self.stderr == [], f"stderr is not silent: {self.stderr}"


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def call(name, **input):
    call.count += 1
    return [{"type": "tool_use", "id": f"toolu_{call.count:04}", "name": name, "input": input}]


call.count = 0


async def turn(client, prompt=None):
    """Everything up to the result of the turn."""
    if prompt is not None:
        await client.query(prompt)
    return [message async for message in client.receive_response()]


def only(messages, kind):
    return [message for message in messages if isinstance(message, kind)]


def said(messages):
    return [block.text for message in only(messages, AssistantMessage) for block in message.content if isinstance(block, TextBlock)]


def outcomes(messages):
    """(tool_result text, is_error) of every call."""
    return [
        (str(block.content), bool(block.is_error))
        for message in only(messages, UserMessage)
        if isinstance(message.content, list)
        for block in message.content
        if isinstance(block, ToolResultBlock)
    ]


def result(messages):
    (last,) = only(messages, ResultMessage)
    assert messages[-1] is last
    return last


def equal(one, other):
    assert one == other, f"{one!r} is not {other!r}"


@test
async def one_shot_query():
    with Lab(text("Hello there")) as lab:
        messages = [message async for message in query(prompt="ping", options=lab.options())]
    equal(said(messages), ["Hello there"])
    end = result(messages)
    equal((end.subtype, end.is_error, end.result, end.num_turns), ("success", False, "Hello there", 1))


@test
async def conversation_of_three_turns():
    with Lab(text("one"), text("You said $REQ{(violet-[0-9]+)}"), text("three")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            turns = [await turn(client, prompt) for prompt in ("remember violet-42", "what did I say?", "thanks")]
    equal([said(messages) for messages in turns], [["one"], ["You said violet-42"], ["three"]])
    equal({result(messages).session_id for messages in turns}, {result(turns[0]).session_id})
    equal([result(messages).subtype for messages in turns], ["success"] * 3)


@test
async def partial_messages_add_up():
    sentence = "A sentence that comes in several pieces, one after the other."
    with Lab(text(sentence)) as lab:
        async with ClaudeSDKClient(lab.options(include_partial_messages=True)) as client:
            messages = await turn(client, "ping")
    events = [message.event for message in only(messages, StreamEvent)]
    pieces = [event["delta"]["text"] for event in events if event["type"] == "content_block_delta" and event["delta"]["type"] == "text_delta"]
    assert len(pieces) > 1, pieces
    equal("".join(pieces), sentence)
    equal((events[0]["type"], events[-1]["type"]), ("message_start", "message_stop"))
    equal(said(messages), [sentence])


@test
async def interrupt_and_go_on():
    slow = text("word " * 400, delay=0.05)
    with Lab(slow, text("Still here")) as lab:
        async with ClaudeSDKClient(lab.options(include_partial_messages=True)) as client:
            await client.query("talk")
            started, messages = time.monotonic(), []
            async for message in client.receive_response():
                if isinstance(message, StreamEvent) and message.event["type"] == "content_block_delta" and not only(messages, StreamEvent):
                    await client.interrupt()
                    messages.append(message)
                if isinstance(message, ResultMessage):
                    end = message
            assert time.monotonic() - started < 15, "the turn went on"
            equal(end.subtype, "error_during_execution")
            after = await turn(client, "are you there?")
    equal((said(after), result(after).subtype), (["Still here"], "success"))


@test
async def model_and_mode_between_turns():
    asked = []

    async def ask(name, _input, _context):
        asked.append(name)
        return PermissionResultDeny(message="no")

    # An agent may try the new model out before it takes it.
    trial = text("yes", when="Hi", repeat=True)
    with Lab(trial, text("first"), text("second"), call("Write", file_path="$REQ{write-to:(/[^ \"]+)}", content="made\n"), text("third")) as lab:
        made = lab.cwd / "made.txt"
        async with ClaudeSDKClient(lab.options(can_use_tool=ask, model="claude-opus-4-5")) as client:
            first = await turn(client, "one")
            await client.set_model("claude-sonnet-4-5")
            second = await turn(client, "two")
            await client.set_permission_mode("acceptEdits")
            third = await turn(client, f"write-to:{made} please")
        written = made.read_text()
    model = lambda messages: only(messages, AssistantMessage)[0].model
    equal((model(first), model(second)), ("claude-opus-4-5", "claude-sonnet-4-5"))
    mode = lambda messages: [message.data["permissionMode"] for message in only(messages, SystemMessage) if message.subtype == "init"]
    equal((mode(second), mode(third)), (["default"], ["acceptEdits"]))
    equal((said(third), written, asked), (["third"], "made\n", []))


@test
async def ask_allow_deny_and_changed_input():
    asks = []

    async def ask(name, input, context):
        asks.append((name, input["command"], bool(context.tool_use_id)))
        if "denied" in input["command"]:
            return PermissionResultDeny(message="not today")
        if "changed" in input["command"]:
            return PermissionResultAllow(updated_input={**input, "command": "touch other.txt"})
        return PermissionResultAllow()

    commands = ["touch allowed.txt && echo done-it", "touch denied.txt", "touch changed.txt"]
    replies = [call("Bash", command=command, description="make a file") for command in commands]
    with Lab(*replies, text("All tried")) as lab:
        async with ClaudeSDKClient(lab.options(can_use_tool=ask)) as client:
            messages = await turn(client, "go")
        files = sorted(path.name for path in lab.cwd.iterdir())
    equal(asks, [("Bash", command, True) for command in commands])
    equal(files, ["allowed.txt", "other.txt"])
    (allowed, denied, changed) = outcomes(messages)
    assert "done-it" in allowed[0] and not allowed[1], allowed
    assert "not today" in denied[0] and denied[1], denied
    assert not changed[1], changed
    end = result(messages)
    equal((end.subtype, end.result), ("success", "All tried"))
    equal([denial["tool_name"] for denial in end.permission_denials or []], ["Bash"])


@test
async def model_that_does_not_exist():
    missing = {"error": 404, "kind": "not_found_error", "message": "model: nobody", "repeat": True}
    with Lab(missing) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            messages = await turn(client, "ping")
    end = result(messages)
    equal((end.is_error, end.num_turns), (True, 1))
    assert end.result and said(messages) == [end.result], (end.result, said(messages))


@test
async def several_clients_at_once():
    async def one(number):
        with Lab(call("Bash", command=f"echo number-{number} > out.txt"), text(f"I am {number}")) as lab:
            async with ClaudeSDKClient(lab.options(allowed_tools=["Bash"])) as client:
                messages = await turn(client, "who are you?")
            return said(messages), (lab.cwd / "out.txt").read_text().strip(), result(messages).session_id

    answers = await asyncio.gather(*(one(number) for number in range(4)))
    equal([(words, wrote) for words, wrote, _ in answers], [([f"I am {n}"], f"number-{n}") for n in range(4)])
    equal(len({session for _, _, session in answers}), 4)


async def main(names):
    passed = failed = 0
    for function in TESTS:
        if names and function.__name__ not in names:
            continue
        started = time.monotonic()
        try:
            async with asyncio.timeout(SECONDS) if hasattr(asyncio, "timeout") else contextlib.nullcontext():
                await function()
        except BaseException as error:  # noqa: B902: a test that is cancelled has failed too
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
