"""Files of the project and the person: agents, commands, settings, styles, plugins."""

from claude_agent_sdk import AgentDefinition, AssistantMessage, ClaudeSDKClient, ConversationResetMessage, UserMessage, query
from lab import Lab, call, equal, inits, only, outcomes, result, texts, test, text, turn

HELPER = AgentDefinition(description="Looks at things", prompt="You look at things.", tools=["Read"])


@test
async def agents_of_the_host_are_listed():
    with Lab(text("hi")) as lab:
        async with ClaudeSDKClient(lab.options(agents={"helper": HELPER})) as client:
            messages = await turn(client, "ping")
    assert "helper" in inits(messages)[0]["agents"], inits(messages)[0]["agents"]


@test
async def agents_of_a_one_shot_are_listed():
    with Lab(text("hi")) as lab:
        messages = [message async for message in query(prompt="ping", options=lab.options(agents={"helper": HELPER}))]
    assert "helper" in inits(messages)[0]["agents"]
    equal(result(messages).subtype, "success")


@test
async def very_large_agent_definitions_are_accepted():
    agents = {f"large-{number}": AgentDefinition(description=f"Number {number}", prompt="p" * 13_000) for number in range(20)}
    with Lab(text("hi")) as lab:
        async with ClaudeSDKClient(lab.options(agents=agents)) as client:
            messages = await turn(client, "ping")
        one_shot = [message async for message in query(prompt="ping", options=lab.options(agents=agents, max_turns=1))]
    for found in (messages, one_shot):
        listed = inits(found)[0]["agents"]
        equal([name for name in agents if name not in listed], [])


@test
async def agents_on_disk_are_listed():
    with Lab(text("hi")) as lab:
        lab.write(".claude/agents/reader.md", "---\nname: reader\ndescription: Reads\ntools: Read\n---\n\n# Reader\nYou read.\n")
        async with ClaudeSDKClient(lab.options(setting_sources=["project"])) as client:
            messages = await turn(client, "ping")
    assert "reader" in inits(messages)[0]["agents"]
    equal((texts(messages), result(messages).subtype), (["hi"], "success"))


@test
async def project_settings_apply_if_the_source_is_selected():
    # By default every source is selected. An output style is text, so it needs no trust.
    for sources in (None, ["local"], ["user", "project", "local"]):
        with Lab(text("hi")) as lab:
            lab.write(".claude/settings.local.json", {"outputStyle": "a-style-of-ours"})
            async with ClaudeSDKClient(lab.options(setting_sources=sources)) as client:
                messages = await turn(client, "ping")
        equal(inits(messages)[0]["output_style"], "a-style-of-ours")


@test
async def sources_that_are_not_selected_do_not_apply():
    with Lab(text("hi")) as lab:
        lab.write(".claude/settings.local.json", {"outputStyle": "a-style-of-ours"})
        lab.write(".claude/commands/projectcmd.md", "---\ndescription: of the project\n---\nDo it.\n")
        async with ClaudeSDKClient(lab.options(setting_sources=["user"])) as client:
            messages = await turn(client, "ping")
        async with ClaudeSDKClient(lab.options(setting_sources=["user", "project", "local"])) as client:
            all_of_it = await turn(client, "ping")
    (init,) = inits(messages)
    assert "projectcmd" not in init["slash_commands"]
    equal(init["output_style"], "default")
    assert "projectcmd" in inits(all_of_it)[0]["slash_commands"]


@test
async def a_command_of_the_project_runs():
    with Lab(text("It said $REQ{(tide-[a-z0-9]+)}")) as lab:
        lab.write(".claude/commands/report.md", "---\ndescription: Reports\n---\nReport on tide-$ARGUMENTS now.\n")
        async with ClaudeSDKClient(lab.options()) as client:
            info = await client.get_server_info()
            messages = await turn(client, "/report x7")
    assert "report" in [command["name"] for command in info["commands"]]
    equal(texts(messages), ["It said tide-x7"])


@test
async def command_of_a_plugin_is_available():
    with Lab(text("hi")) as lab:
        lab.write("extra/.claude-plugin/plugin.json", {"name": "extra", "description": "More", "version": "1.0.0"})
        lab.write("extra/commands/greet.md", "Greet.\n")
        options = lab.options(plugins=[{"type": "local", "path": str(lab.cwd / "extra")}])
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, "ping")
    (init,) = inits(messages)
    assert "extra" in [plugin["name"] for plugin in init["plugins"]], init["plugins"]
    assert "extra:greet" in init["slash_commands"], init["slash_commands"]


@test
async def clear_starts_a_new_conversation():
    with Lab(text("one"), text("two")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            first = await turn(client, "remember violet-42")
            cleared = await turn(client, "/clear")
            after = await turn(client, "and now?")
    (reset,) = only(cleared, ConversationResetMessage)
    assert reset.new_conversation_id and reset.uuid
    equal(reset.session_id, result(first).session_id)
    assert result(cleared).session_id != result(first).session_id
    equal(result(after).session_id, result(cleared).session_id)


@test
async def text_of_subagents_is_forwarded_on_demand():
    for forward in (True, False):
        ask = call("Agent", subagent_type="echo", description="say it", prompt="say the word", run_in_background=False)
        with Lab(ask, text("the word is tide"), text("done")) as lab:
            agents = {"echo": AgentDefinition(description="Echoes", prompt="You echo.", background=False)}
            options = lab.options(agents=agents, allowed_tools=["Agent", "Task"], forward_subagent_text=forward)
            async with ClaudeSDKClient(options) as client:
                messages = await turn(client, "go")
        own = [message for message in only(messages, AssistantMessage) if message.parent_tool_use_id]
        equal(texts(own), ["the word is tide"] if forward else [])
        assert all(message.parent_tool_use_id == ask[0]["id"] for message in own)
        equal(texts(messages)[-1], "done")
        results = [message for message in only(messages, UserMessage) if not message.parent_tool_use_id]
        assert "the word is tide" in outcomes(results)[0][0], outcomes(results)
