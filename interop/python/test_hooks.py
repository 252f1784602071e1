"""Hooks of the host."""

from claude_agent_sdk import ClaudeSDKClient, HookMatcher, query
from claude_agent_sdk.types import HookEventMessage
from lab import Lab, call, equal, only, outcomes, result, texts, test, text, turn


def noting(calls, answer=None):
    async def hook(input, tool_use_id, _context):
        calls.append((input, tool_use_id))
        return answer or {}

    return hook


@test
async def hooks_run_before_and_after_a_call():
    before, after = [], []
    run = call("Bash", command="echo tide", description="say")
    hooks = {
        "PreToolUse": [HookMatcher(matcher="Bash", hooks=[noting(before)])],
        "PostToolUse": [HookMatcher(matcher="Bash", hooks=[noting(after, {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "noted"}})])],
    }
    with Lab(run, text("done")) as lab:
        async with ClaudeSDKClient(lab.options(hooks=hooks, allowed_tools=["Bash"])) as client:
            messages = await turn(client, "go")
    for (input, tool_use_id), event in zip(before + after, ("PreToolUse", "PostToolUse"), strict=True):
        equal((input["hook_event_name"], input["tool_name"], input["tool_use_id"], tool_use_id), (event, "Bash", run[0]["id"], run[0]["id"]))
        assert input["session_id"] and input["cwd"] and input["transcript_path"], input
    assert "tide" in str(after[0][0]["tool_response"])
    equal(texts(messages), ["done"])


@test
async def a_denied_call_does_not_run():
    answer = {
        "reason": "not on our watch",
        "systemMessage": "🚫 refused",
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "policy 7"},
    }
    hooks = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[noting([], answer)])]}
    with Lab(call("Bash", command="touch ran.txt"), text("understood")) as lab:
        async with ClaudeSDKClient(lab.options(hooks=hooks, allowed_tools=["Bash"])) as client:
            messages = await turn(client, "go")
        assert not (lab.cwd / "ran.txt").exists()
    ((output, is_error),) = outcomes(messages)
    assert is_error and "policy 7" in output, output


@test
async def allowed_call_runs_with_changed_input_and_without_permission_request():
    answer = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": "fine",
            "updatedInput": {"command": "touch other.txt"},
        }
    }
    hooks = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[noting([], answer)])]}
    with Lab(call("Bash", command="touch ran.txt"), text("done")) as lab:
        async with ClaudeSDKClient(lab.options(hooks=hooks)) as client:
            messages = await turn(client, "go")
        equal(sorted(path.name for path in lab.cwd.iterdir() if path.suffix == ".txt"), ["other.txt"])
    equal(texts(messages), ["done"])


@test
async def a_hook_ends_the_turn():
    answer = {"continue_": False, "stopReason": "enough seen", "systemMessage": "stopped"}
    hooks = {"PostToolUse": [HookMatcher(matcher="Bash", hooks=[noting([], answer)])]}
    with Lab(call("Bash", command="echo tide"), text("never said")) as lab:
        async with ClaudeSDKClient(lab.options(hooks=hooks, allowed_tools=["Bash"])) as client:
            messages = await turn(client, "go")
            after = result(messages)
    assert after is not None and "never said" not in texts(messages)


@test
async def hooks_of_several_events_run_in_one_session():
    calls = []
    events = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Notification"]
    hooks = {event: [HookMatcher(hooks=[noting(calls)])] for event in events}
    with Lab(call("Bash", command="echo tide"), text("done")) as lab:
        async with ClaudeSDKClient(lab.options(hooks=hooks, allowed_tools=["Bash"])) as client:
            messages = await turn(client, "go")
    names = [input["hook_event_name"] for input, _ in calls]
    equal([name for name in names if name != "Notification"], ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"])
    equal(calls[names.index("UserPromptSubmit")][0]["prompt"], "go")
    assert all(input["notification_type"] for input, _ in calls if input["hook_event_name"] == "Notification")
    equal(result(messages).subtype, "success")


@test
async def context_from_a_hook_reaches_the_model():
    answer = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "the tide is violet-7"}}
    hooks = {"UserPromptSubmit": [HookMatcher(hooks=[noting([], answer)])]}
    with Lab(text("I read $REQ{(violet-[0-9]+)}")) as lab:
        async with ClaudeSDKClient(lab.options(hooks=hooks)) as client:
            messages = await turn(client, "go")
    equal(texts(messages), ["I read violet-7"])


@test
async def hooks_of_settings_are_reported_on_demand():
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cat >/dev/null; echo seen"}]}]}}
    with Lab(call("Bash", command="echo tide"), text("done")) as lab:
        lab.write(".claude/settings.json", settings)
        async with ClaudeSDKClient(lab.options(include_hook_events=True, allowed_tools=["Bash"], setting_sources=["project"])) as client:
            messages = await turn(client, "go")
    output = [(event.subtype, event.hook_event_name) for event in only(messages, HookEventMessage) if event.hook_event_name == "PreToolUse"]
    equal(output, [("hook_started", "PreToolUse"), ("hook_response", "PreToolUse")])


@test
async def deferred_call_is_decided_again():
    def answering(decision, calls):
        output = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": "said so"}
        return {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[noting(calls, {"hookSpecificOutput": output})])]}

    put_off, denied = [], []
    with Lab(call("Bash", command="touch made"), text("done")) as lab:
        first = [message async for message in query(prompt="go", options=lab.options(hooks=answering("defer", put_off)))]
        equal(result(first).stop_reason, "tool_deferred")
        options = lab.options(hooks=answering("deny", denied), resume=result(first).session_id)
        async with ClaudeSDKClient(options) as client:
            messages = [message async for message in client.receive_response()]
        equal((result(messages).result, len(denied)), ("done", 1))
        assert not (lab.cwd / "made").exists()
