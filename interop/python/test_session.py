"""Conversations: turns, partial messages, interrupts, permission requests, errors."""

import asyncio
import time

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    query,
)
from lab import Lab, call, equal, only, outcomes, result, texts, test, text, turn


@test
async def one_shot_query():
    with Lab(text("Hello there")) as lab:
        messages = [message async for message in query(prompt="ping", options=lab.options())]
    equal(texts(messages), ["Hello there"])
    end = result(messages)
    equal((end.subtype, end.is_error, end.result, end.num_turns), ("success", False, "Hello there", 1))


@test
async def conversation_of_three_turns():
    with Lab(text("one"), text("You said $REQ{(violet-[0-9]+)}"), text("three")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            turns = [await turn(client, prompt) for prompt in ("remember violet-42", "what did I say?", "thanks")]
    equal([texts(messages) for messages in turns], [["one"], ["You said violet-42"], ["three"]])
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
    equal(texts(messages), [sentence])


@test
async def interrupted_session_continues():
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
            assert time.monotonic() - started < 15, "the turn was not interrupted"
            equal(end.subtype, "error_during_execution")
            after = await turn(client, "are you there?")
    equal((texts(after), result(after).subtype), (["Still here"], "success"))


@test
async def model_and_mode_between_turns():
    requested = []

    async def ask(name, _input, _context):
        requested.append(name)
        return PermissionResultDeny(message="no")

    # An agent may send a test request before it switches the model.
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
    equal((texts(third), written, requested), (["third"], "made\n", []))


@test
async def permission_request_allow_deny_and_changed_input():
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
    assert end.result and texts(messages) == [end.result], (end.result, texts(messages))


@test
async def several_clients_at_once():
    async def one(number):
        with Lab(call("Bash", command=f"echo number-{number} > out.txt"), text(f"I am {number}")) as lab:
            async with ClaudeSDKClient(lab.options(allowed_tools=["Bash"])) as client:
                messages = await turn(client, "who are you?")
            return texts(messages), (lab.cwd / "out.txt").read_text().strip(), result(messages).session_id

    answers = await asyncio.gather(*(one(number) for number in range(4)))
    equal([(words, wrote) for words, wrote, _ in answers], [([f"I am {n}"], f"number-{n}") for n in range(4)])
    equal(len({session for _, _, session in answers}), 4)
