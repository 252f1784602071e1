"""Saved sessions, and resuming them."""

import json
import os

from claude_agent_sdk import (
    AgentDefinition,
    AssistantMessage,
    ClaudeSDKClient,
    InMemorySessionStore,
    UserMessage,
    get_session_info,
    get_session_messages,
    get_subagent_messages,
    list_sessions,
    list_subagents,
    project_key_for_directory,
    rename_session,
    tag_session,
)
from lab import Lab, call, equal, inits, only, result, texts, test, text, turn


class Kept:
    """Makes the functions of the SDK use the folder of the agent."""

    def __init__(self, lab):
        self.place = str(lab.home / ".claude")

    def __enter__(self):
        self.before = os.environ.get("CLAUDE_CONFIG_DIR")
        os.environ["CLAUDE_CONFIG_DIR"] = self.place

    def __exit__(self, *_):
        if self.before is None:
            del os.environ["CLAUDE_CONFIG_DIR"]
        else:
            os.environ["CLAUDE_CONFIG_DIR"] = self.before


@test
async def a_session_is_listed_read_renamed_and_tagged():
    with Lab(text("one"), text("two")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            first = await turn(client, "remember violet-42")
            await turn(client, "and more")
        session = result(first).session_id
        with Kept(lab):
            (listed,) = list_sessions(directory=str(lab.cwd))
            equal((listed.session_id, listed.first_prompt), (session, "remember violet-42"))
            kept = get_session_messages(session, directory=str(lab.cwd))
            equal([message.type for message in kept], ["user", "assistant", "user", "assistant"])
            rename_session(session, "The violet one", directory=str(lab.cwd))
            tag_session(session, "tides", directory=str(lab.cwd))
            info = get_session_info(session, directory=str(lab.cwd))
            equal((info.custom_title, info.tag), ("The violet one", "tides"))


@test
async def a_session_is_resumed_and_forked():
    with Lab(text("one"), text("You said $REQ{(violet-[0-9]+)}"), text("In the fork: $REQ{(violet-[0-9]+)}")) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            first = await turn(client, "remember violet-42")
        session = result(first).session_id
        async with ClaudeSDKClient(lab.options(resume=session)) as client:
            second = await turn(client, "what did I say?")
        async with ClaudeSDKClient(lab.options(resume=session, fork_session=True)) as client:
            third = await turn(client, "what did I say?")
    equal((texts(second), result(second).session_id), (["You said violet-42"], session))
    equal(texts(third), ["In the fork: violet-42"])
    assert result(third).session_id != session


@test
async def a_turn_is_dropped_when_a_session_is_resumed_at_an_answer():
    replies = [text("first answer"), text("second answer"), text("third answer")]
    with Lab(*replies, text("seen: $REQ{(violet-1)} and not more", repeat=True)) as lab:
        async with ClaudeSDKClient(lab.options()) as client:
            first = await turn(client, "this is violet-1")
            await turn(client, "this is violet-2")
        (answer,) = only(first, AssistantMessage)
        session = result(first).session_id
        file = next((lab.home / ".claude/projects").glob(f"*/{session}.jsonl"))
        before = file.read_bytes()
        entries = [json.loads(line) for line in before.splitlines()]
        kept = {entry.get("uuid"): entry for entry in entries}
        assert kept[answer.uuid]["type"] == "assistant"
        prompts = [entry for entry in entries if entry["type"] == "user"]
        equal([entry["message"]["content"] for entry in prompts], ["this is violet-1", "this is violet-2"])
        options = lab.options(resume=session, fork_session=True, resume_session_at=answer.uuid, resume_drops_turn=prompts[1]["uuid"])
        async with ClaudeSDKClient(options) as client:
            again = await turn(client, "what was there?")
        assert result(again).session_id != session
        equal((texts(again), file.read_bytes() == before), (["third answer"], True))
        fork = next((lab.home / ".claude/projects").glob(f"*/{result(again).session_id}.jsonl"))
        assert "violet-1" in fork.read_text() and "violet-2" not in fork.read_text()


@test
async def session_is_resumed_from_a_store():
    store = InMemorySessionStore()
    with Lab(text("one"), text("You said $REQ{(violet-[0-9]+)}")) as lab:
        (lab.home / ".claude").mkdir()
        (lab.home / ".claude/settings.json").write_text(json.dumps({"outputStyle": "Explanatory"}))
        async with ClaudeSDKClient(lab.options(session_store=store)) as client:
            first = await turn(client, "remember violet-42")
        session = result(first).session_id
        key = {"project_key": project_key_for_directory(str(lab.cwd)), "session_id": session}
        entries = await store.load(key)
        equal([entry["type"] for entry in entries if entry["type"] in ("user", "assistant")], ["user", "assistant"])
        async with ClaudeSDKClient(lab.options(session_store=store, resume=session)) as client:
            second = await turn(client, "what did I say?")
    equal((texts(second), result(second).session_id), (["You said violet-42"], session))
    equal([init["output_style"] for init in inits(first) + inits(second)], ["Explanatory"] * 2)


@test
async def transcripts_of_subagents_are_stored():
    store = InMemorySessionStore()
    ask = call("Agent", subagent_type="echo", description="say it", prompt="say the word", run_in_background=False)
    with Lab(ask, text("the word is tide"), text("done")) as lab:
        agents = {"echo": AgentDefinition(description="Echoes", prompt="You echo.", background=False)}
        options = lab.options(agents=agents, allowed_tools=["Agent", "Task"], session_store=store)
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, "go")
        session = result(messages).session_id
        (meta,) = (lab.home / ".claude/projects").glob(f"*/{session}/subagents/agent-*.meta.json")
        equal(json.loads(meta.read_text())["toolUseId"], ask[0]["id"])
        with Kept(lab):
            (agent,) = list_subagents(session, directory=str(lab.cwd))
            kept = get_subagent_messages(session, agent, directory=str(lab.cwd))
        equal([message.type for message in kept], ["user", "assistant"])
        key = {"project_key": project_key_for_directory(str(lab.cwd)), "session_id": session}
        (subkey,) = await store.list_subkeys(key)
        entries = await store.load({**key, "subpath": subkey})
        assert "agent_metadata" in [entry["type"] for entry in entries], [entry["type"] for entry in entries]


@test
async def files_are_rewound():
    with Lab(text("no")) as lab:
        target = lab.write("notes.txt", "as it was\n")
    replies = [call("Read", file_path="$REQ{file:(/[^ \"]+)}"), call("Write", file_path="$REQ{file:(/[^ \"]+)}", content="changed\n"), text("done")]
    with Lab(*replies) as lab:
        target = lab.write("notes.txt", "as it was\n")
        options = lab.options(enable_file_checkpointing=True, permission_mode="acceptEdits", extra_args={"replay-user-messages": None})
        async with ClaudeSDKClient(options) as client:
            messages = await turn(client, f"file:{target} please")
            changed = target.read_text()
            prompt = next(message.uuid for message in only(messages, UserMessage) if message.uuid and isinstance(message.content, str))
            await client.rewind_files(prompt)
            equal((changed, target.read_text()), ("changed\n", "as it was\n"))
