"""A stand-in agent of a few lines, for what real ones do only when they are unlucky. `agent.py MODE …flags of the bridge`."""

import json
import os
import subprocess
import sys
import uuid

MODE = sys.argv[1]
SESSION = next((arg.split("=", 1)[1] for arg in sys.argv if arg.startswith(("--session-id=", "--resume="))), "none")


def say(**message):
    message.setdefault("session_id", SESSION)
    message.setdefault("uuid", str(uuid.uuid4()))
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def turn(text, **result):
    say(type="system", subtype="init", model="stand-in", tools=[], cwd=os.getcwd(), claude_code_version="0")
    say(type="assistant", parent_tool_use_id=None, message={"id": str(uuid.uuid4()), "role": "assistant", "model": "stand-in", "content": [{"type": "text", "text": text}]})
    say(type="result", subtype="success", is_error=False, result=text, duration_ms=1, duration_api_ms=1, num_turns=1, total_cost_usd=0, usage={}, modelUsage={}, permission_denials=[], **result)


if MODE == "forgetful" and any(arg.startswith("--resume=") for arg in sys.argv):
    sys.stderr.write("No conversation found with session ID: " + SESSION + "\n")
    sys.exit(1)
if MODE == "quits":
    sys.stderr.write("these are my last words\n")
    sys.exit(3)
if MODE == "breeder":
    subprocess.Popen(["sleep", "1000"], start_new_session=True)

prompts = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "control_response" and MODE in ("asks", "suggests"):
        turn(message["response"]["response"]["behavior"])
        continue
    if message["type"] == "control_request":
        if message["request"]["subtype"] == "interrupt":
            open("interrupted", "w").close()
        say(type="control_response", response={"subtype": "success", "request_id": message["request_id"], "response": {}})
    if message["type"] != "user":
        continue
    prompts += 1
    if MODE == "silent":
        say(type="system", subtype="init", model="stand-in", tools=[], cwd=os.getcwd())
    elif MODE == "drift":
        say(type="from_the_future", subtype="surprise", value=7)
        sys.stdout.write("this is no JSON\n")
        turn("done")
    elif MODE == "asks":
        say(type="control_request", request_id="ask-1", request={"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "true"}, "tool_use_id": "toolu_1"})
    elif MODE == "suggests":
        rule = {"type": "addRules", "rules": [{"toolName": "Bash"}], "behavior": "allow", "destination": "userSettings"}
        say(type="control_request", request_id="ask-1", request={"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "true"}, "tool_use_id": "toolu_1", "permission_suggestions": [rule]})
    elif MODE == "wakes":
        turn("first")
        turn("nobody asked", origin={"kind": "task-notification"})
    elif MODE == "dies":
        say(type="system", subtype="init", model="stand-in", tools=[], cwd=os.getcwd(), skills=["tidy"], plugins=[{"name": "garden", "path": "/plugins/garden"}])
        events = [
            {"type": "message_start", "message": {"id": "m-dies", "role": "assistant", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half a "}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "sentence"}},
        ]
        for event in events:
            say(type="stream_event", parent_tool_use_id=None, event=event)
        sys.exit(9)
    elif MODE == "compacts":
        say(type="system", subtype="compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 9, "post_tokens": 3})
        turn("smaller")
    elif MODE == "flood":
        for number in range(20_000):
            say(type="assistant", parent_tool_use_id=None, message={"id": f"m{number}", "role": "assistant", "model": "stand-in", "content": [{"type": "text", "text": "x" * 2000}]})
        turn("done")
    else:
        turn(f"prompt {prompts}")
