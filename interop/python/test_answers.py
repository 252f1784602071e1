"""Answers: JSON schemas, thinking, origins, errors, and control requests between turns."""

from claude_agent_sdk import AssistantMessage, ClaudeSDKClient, ResultMessage, StreamEvent, SystemMessage, ThinkingBlock, query
from lab import Lab, call, equal, inits, only, outcomes, result, texts, test, text, turn

SHAPE = {
    "type": "json_schema",
    "schema": {
        "type": "object",
        "properties": {"files": {"type": "number"}, "tested": {"type": "boolean"}, "kind": {"type": "string", "enum": ["small", "large"]}},
        "required": ["files", "tested", "kind"],
    },
}


@test
async def answer_matches_the_schema():
    shaped = {"files": 2, "tested": True, "kind": "small"}
    with Lab(call("Bash", command="ls"), call("StructuredOutput", **shaped), text("done")) as lab:
        lab.write("src/a.rs", "")
        messages = [message async for message in query(prompt="count", options=lab.options(output_format=SHAPE, permission_mode="acceptEdits"))]
    end = result(messages)
    equal((end.subtype, end.is_error, end.structured_output), ("success", False, shaped))
    assert "src" in outcomes(messages)[0][0]


@test
async def answer_that_violates_the_schema_is_requested_again():
    shaped = {"files": 2, "tested": True, "kind": "small"}
    with Lab(call("StructuredOutput", files="two", tested=True, kind="tiny"), call("StructuredOutput", **shaped), text("done")) as lab:
        messages = [message async for message in query(prompt="count", options=lab.options(output_format=SHAPE))]
    equal(result(messages).structured_output, shaped)


@test
async def partial_messages_begin_with_init_and_end_with_the_result():
    thought = {"content": [{"type": "thinking", "thinking": "two and two are four", "signature": "c2lnbmF0dXJl"}, {"type": "text", "text": "Four, in several words."}]}
    with Lab(thought) as lab:
        options = lab.options(include_partial_messages=True, env={"MAX_THINKING_TOKENS": "8000"})
        messages = [message async for message in query(prompt="2 + 2?", options=options)]
    assert isinstance(messages[0], SystemMessage) and messages[0].subtype == "init", messages[0]
    kinds = {message.event["type"] for message in only(messages, StreamEvent)}
    assert kinds >= {"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_stop"}, kinds
    deltas = [message.event["delta"]["type"] for message in only(messages, StreamEvent) if message.event["type"] == "content_block_delta"]
    assert "thinking_delta" in deltas and "text_delta" in deltas, deltas
    thoughts = [block for message in only(messages, AssistantMessage) for block in message.content if isinstance(block, ThinkingBlock)]
    equal([(block.thinking, bool(block.signature)) for block in thoughts], [("two and two are four", True)])
    equal((result(messages).subtype, texts(messages)), ("success", ["Four, in several words."]))


@test
async def partial_messages_are_disabled_by_default():
    with Lab(text("hi")) as lab:
        messages = [message async for message in query(prompt="ping", options=lab.options())]
    equal(only(messages, StreamEvent), [])


@test
async def origin_of_a_turn_is_reported():
    async def prompts(**more):
        yield {"type": "user", "message": {"role": "user", "content": "ping"}, "parent_tool_use_id": None, "session_id": "default", **more}

    with Lab(text("one"), text("two")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            await client.query(prompts(origin={"kind": "human"}))
            first = await turn(client)
            await client.query(prompts())
            second = await turn(client)
    equal((result(first).origin, result(second).origin), ({"kind": "human"}, None))


@test
async def an_unknown_model_is_a_result():
    missing = {"error": 404, "kind": "not_found_error", "message": "model: nobody", "repeat": True}
    with Lab(missing) as lab:
        messages, raised = [], None
        try:
            async for message in query(prompt="ping", options=lab.options(model="nobody-knows-it")):
                messages.append(message)
        except Exception as error:  # noqa: BLE001: exceptions of the SDK after the result are not tested
            raised = error
        lab.stderr.clear()
    (end,) = only(messages, ResultMessage)
    equal((end.subtype, end.is_error, end.terminal_reason, end.api_error_status), ("success", True, "api_error", 404))
    assert end.result and end.uuid and raised is not None, (end, raised)


@test
async def control_between_turns():
    with Lab(text("yes", when="Hi", repeat=True), text("one"), text("two"), text("three"), text("four")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            await client.set_permission_mode("acceptEdits")
            first = await turn(client, "one")
            await client.set_permission_mode("default")
            await client.set_model("claude-haiku-4-5")
            second = await turn(client, "two")
            await client.set_model(None)
            third = await turn(client, "three")
            usage = await client.get_context_usage()
    equal([init["permissionMode"] for init in inits(first) + inits(second)], ["acceptEdits", "default"])
    model = lambda messages: only(messages, AssistantMessage)[0].model
    equal((model(second), model(third)), ("claude-haiku-4-5", model(first)))
    assert usage["totalTokens"] > 0 and usage["maxTokens"] > usage["totalTokens"] and usage["categories"], usage


@test
async def an_interrupt_right_after_the_prompt_still_has_a_result():
    with Lab(text("word " * 200, delay=0.05), text("Still here")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            await client.query("talk")
            await client.interrupt()
            first = await turn(client)
            equal(len(only(first, ResultMessage)), 1)


@test
async def a_budget_ends_a_session():
    with Lab(call("Bash", command="ls"), text("never"), text("never")) as lab:
        messages = []
        try:
            async for message in query(prompt="go", options=lab.options(max_budget_usd=0.000001, allowed_tools=["Bash"])):
                messages.append(message)
        except Exception:  # noqa: BLE001: as above
            pass
    (end,) = only(messages, ResultMessage)
    equal(end.subtype, "error_max_budget_usd")
