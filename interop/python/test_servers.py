"""MCP servers inside the host and as programs."""

import sys

from claude_agent_sdk import ClaudeSDKClient, PermissionResultAllow, create_sdk_mcp_server, tool
from lab import Lab, call, equal, inits, outcomes, result, texts, test, text, turn

PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    if method == "initialize":
        answer = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "tides", "version": "1"}}
    elif method == "tools/list":
        answer = {"tools": [{"name": "tide", "description": "The tide", "inputSchema": {"type": "object", "properties": {}}}]}
    elif method == "tools/call":
        answer = {"content": [{"type": "text", "text": "the tide is high"}]}
    else:
        answer = {}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
"""


def calculator(ran):
    @tool("add", "Adds", {"a": float, "b": float})
    async def add(args):
        ran.append(("add", args))
        return {"content": [{"type": "text", "text": f"sum is {args['a'] + args['b']}"}]}

    @tool("fail", "Fails", {})
    async def fail(args):
        ran.append(("fail", args))
        raise ValueError("cannot do that")

    return create_sdk_mcp_server(name="calc", version="1.0.0", tools=[add, fail])


@test
async def a_tool_of_the_host_is_called():
    ran = []
    with Lab(call("mcp__calc__add", a=2, b=3), text("done")) as lab:
        options = lab.options(mcp_servers={"calc": calculator(ran)}, allowed_tools=["mcp__calc__add"])
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, "add")
    equal(ran, [("add", {"a": 2, "b": 3})])
    assert "sum is 5" in outcomes(messages)[0][0]
    (init,) = inits(messages)
    assert "mcp__calc__add" in init["tools"]
    equal([(server["name"], server["status"]) for server in init["mcp_servers"]], [("calc", "connected")])


@test
async def exception_of_a_tool_is_an_error_result():
    ran = []
    with Lab(call("mcp__calc__fail"), text("done")) as lab:
        options = lab.options(mcp_servers={"calc": calculator(ran)}, allowed_tools=["mcp__calc__fail"])
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, "fail")
    ((output, is_error),) = outcomes(messages)
    assert is_error and "cannot do that" in output, output


@test
async def a_forbidden_tool_is_never_called():
    ran = []
    with Lab(call("mcp__calc__add", a=2, b=3), text("done")) as lab:
        options = lab.options(mcp_servers={"calc": calculator(ran)}, disallowed_tools=["mcp__calc__add"], allowed_tools=["mcp__calc__fail"])
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, "add")
    equal((ran, outcomes(messages)[0][1]), ([], True))


@test
async def tool_is_not_called_without_permission_callback():
    ran = []
    with Lab(call("mcp__calc__add", a=2, b=3), text("done")) as lab:
        async with ClaudeSDKClient(lab.options(mcp_servers={"calc": calculator(ran)})) as client:
            messages = await turn(client, "add")
    equal((ran, outcomes(messages)[0][1], result(messages).subtype), ([], True, "success"))


@test
async def permission_of_a_host_tool_is_requested():
    ran, requested = [], []

    async def ask(name, input, _context):
        requested.append(name)
        return PermissionResultAllow()

    with Lab(call("mcp__calc__add", a=2, b=3), text("done")) as lab:
        options = lab.options(mcp_servers={"calc": calculator(ran)}, can_use_tool=ask)
        async with ClaudeSDKClient(options) as client:
            await turn(client, "add")
    equal((requested, len(ran)), (["mcp__calc__add"], 1))


@test
async def program_is_called_disabled_and_enabled():
    with Lab(call("mcp__tides__tide"), text("done"), text("again")) as lab:
        script = lab.write("tides.py", PROGRAM)
        servers = {"tides": {"type": "stdio", "command": sys.executable, "args": [str(script)]}}
        options = lab.options(mcp_servers=servers, allowed_tools=["mcp__tides"])
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, "tide?")
            status = lambda answer: [(server["name"], server["status"]) for server in answer["mcpServers"]]
            connected = status(await client.get_mcp_status())
            await client.toggle_mcp_server("tides", False)
            off = status(await client.get_mcp_status())
            await client.toggle_mcp_server("tides", True)
            await client.reconnect_mcp_server("tides")
            on = status(await client.get_mcp_status())
            await turn(client, "again?")
    assert "the tide is high" in outcomes(messages)[0][0]
    equal((connected, off, on), ([("tides", "connected")], [("tides", "disabled")], [("tides", "connected")]))


@test
async def program_that_cannot_be_started_does_not_affect_the_session():
    with Lab(text("still here")) as lab:
        options = lab.options(mcp_servers={"gone": {"type": "stdio", "command": "/nowhere/at-all", "args": []}})
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, "ping")
            statuses = [server["status"] for server in (await client.get_mcp_status())["mcpServers"]]
    equal((texts(messages), statuses), (["still here"], ["failed"]))
