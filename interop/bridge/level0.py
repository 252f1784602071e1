"""A client that follows the seed's section 8 and nothing else: starts, talks, approves, answers, rejects, lists, stops,
resumes, reconnects."""

import asyncio
import os
import sys

from stage import Stage, connect


async def idle(client, session):
    await client.of("status", sessionId=session, status="idle")


async def begin(stage, client):
    await client.of("session_list")
    await client.say(type="start", projectPath=stage.folder)
    created = await client.of("system", subtype="session_created")
    assert created["projectPath"] == stage.folder, created
    session = created["sessionId"]
    await idle(client, session)
    return session


async def starts_talks_and_gets_a_result(stage, token):
    async with connect(stage, token) as client:
        session = await begin(stage, client)
        await client.say(type="input", text="hello", sessionId=session)
        await client.of("status", sessionId=session, status="running")
        await client.of("stream_delta", sessionId=session)
        answer = await client.of("assistant", sessionId=session)
        assert answer["message"]["content"][0]["type"] == "text", answer
        result = await client.of("result", sessionId=session)
        assert result["subtype"] == "success" and result["duration"] >= 0, result
        await idle(client, session)


async def approves_a_call_once(stage, token):
    async with connect(stage, token) as client:
        session = await begin(stage, client)
        await client.say(type="input", text="write a file hello.txt", sessionId=session)
        # The status comes first: a client may show requests only while the session waits.
        await client.of("status", sessionId=session, status="waiting_approval")
        request = await client.of("permission_request", sessionId=session)
        assert request["toolName"] and request["input"], request
        await client.say(type="approve", id=request["toolUseId"], sessionId=session)
        done = await client.of("tool_result", sessionId=session)
        assert done["toolUseId"] == request["toolUseId"] and done["isError"] is False, done
        await client.of("result", sessionId=session)
        await client.say(type="approve", id=request["toolUseId"], sessionId=session)
        late = await client.of("error", sessionId=session)
        assert late["code"] == "decided" and late["resolved"]["decision"] == "allowed", late


async def the_first_messages_are_those_that_the_founding_project_tests(stage, token):
    async with connect(stage, token) as client:
        await client.of("session_list")
        status = await client.next()
        assert status == {"type": "status", "status": "idle"}, status
        for text in ("this is not json", "[]", '{"text":"no type"}'):
            await client.socket.send(text)
            error = await client.of("error")
            assert error["message"] == "Invalid message format" and error["code"] == "frame" and error["hint"], error
        await client.say(type="input", text="hello")
        assert (await client.of("error"))["code"] == "session"
        await client.say(type="start", projectPath=stage.folder)
        created = await client.of("system", subtype="session_created")
        await idle(client, created["sessionId"])


async def a_client_of_the_founding_project_finds_its_names(stage, token):
    """Its forms: no path, `id`, `createdAt`, `slashCommands`, `errorCode`, images in line, `input_ack`, `history_delta`."""
    async with connect(stage, token, path="/") as client:
        await client.say(type="client_capabilities", appVersion="1", protocolVersion=1, supportedServerMessages=[])
        session = await begin(stage, client)
        pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        image = {"base64": pixel, "mimeType": "image/png"}
        await client.say(type="input", text="hello", sessionId=session, clientMessageId="mine-1", images=[image])
        acknowledged = await client.of("input_ack", sessionId=session)
        assert acknowledged["clientMessageId"] == "mine-1", acknowledged
        init = await client.of("system", subtype="init", sessionId=session)
        assert isinstance(init["slashCommands"], list) and "claudeSessionId" in init, init
        answer = await client.of("assistant", sessionId=session)
        assert answer["messageUuid"] == answer["uuid"], answer
        await client.of("result", sessionId=session)
        await idle(client, session)
        await client.say(type="list_sessions")
        [listed] = [it for it in (await client.of("session_list"))["sessions"] if it["sessionId"] == session]
        assert listed["id"] == session and listed["createdAt"].endswith("Z"), listed
        await client.say(type="list_recent_sessions", projectPath=stage.folder)
        [recent] = [it for it in (await client.of("recent_sessions"))["sessions"] if it["sessionId"] == session]
        assert recent["created"].endswith("Z") and recent["modified"] >= recent["created"], recent
        assert isinstance(recent["firstPrompt"], str) and recent["gitBranch"] == "", recent
        await client.say(type="get_history_delta", sessionId=session, sinceSeq=0)
        first = await client.of("history_delta", sessionId=session)
        kinds = [it["message"]["type"] for it in first["messages"]]
        assert kinds.count("user_input") == 1 and kinds.count("result") == 1 and first["status"] == "idle", first
        await client.say(type="input", text="and again", sessionId=session)
        await client.of("result", sessionId=session)
        await client.say(type="get_history_delta", sessionId=session, sinceSeq=first["toSeq"])
        second = await client.of("history_delta", sessionId=session)
        texts = [it["message"]["text"] for it in second["messages"] if it["message"]["type"] == "user_input"]
        assert texts == ["and again"] and second["fromSeq"] == first["toSeq"] < second["toSeq"], second
        await client.say(type="nonsense")
        assert (await client.of("error"))["errorCode"] == "type"


async def rejects_with_a_message_and_the_turn_goes_on(stage, token):
    async with connect(stage, token) as client:
        session = await begin(stage, client)
        await client.say(type="input", text="write a file hello.txt", sessionId=session)
        request = await client.of("permission_request", sessionId=session)
        await client.say(type="reject", id=request["toolUseId"], message="not today", sessionId=session)
        done = await client.of("tool_result", sessionId=session)
        assert done["isError"] is True and "not today" in done["content"], done
        assert (await client.of("result", sessionId=session))["subtype"] == "success"


async def answers_a_question(stage, token):
    async with connect(stage, token) as client:
        session = await begin(stage, client)
        await client.say(type="input", text="ask me a question", sessionId=session)
        request = await client.of("permission_request", sessionId=session)
        assert request["toolName"] == "AskUserQuestion", request
        first = request["input"]["questions"][0]
        await client.say(type="answer", toolUseId=request["toolUseId"], result=first["options"][0]["label"], sessionId=session)
        done = await client.of("tool_result", sessionId=session)
        assert first["options"][0]["label"] in done["content"], done
        await client.of("result", sessionId=session)


async def lists_stops_and_resumes(stage, token):
    async with connect(stage, token) as client:
        session = await begin(stage, client)
        await client.say(type="input", text="hello", sessionId=session)
        await client.of("result", sessionId=session)
        await client.say(type="list_sessions")
        listed = await client.of("session_list")
        assert session in [it["sessionId"] for it in listed["sessions"]], listed
        await client.say(type="stop_session", sessionId=session)
        await client.of("system", subtype="session_stopped", sessionId=session)
        await client.say(type="list_sessions")
        listed = await client.of("session_list")
        assert session not in [it["sessionId"] for it in listed["sessions"]], listed
        await client.say(type="input", text="too late", sessionId=session)
        assert (await client.of("error", sessionId=session))["code"] == "stopped"
        await client.say(type="list_recent_sessions", limit=5)
        recent = await client.of("recent_sessions")
        assert session in [it["sessionId"] for it in recent["sessions"]], recent
        await client.say(type="resume_session", sessionId=session, projectPath=stage.folder)
        created = await client.of("system", subtype="session_created")
        assert created["sessionId"] == session, created
        await client.say(type="input", text="hello again", sessionId=session)
        assert (await client.of("result", sessionId=session))["subtype"] == "success"


async def reconnects_and_finds_everything(stage, token):
    async with connect(stage, token) as client:
        session = await begin(stage, client)
        await client.say(type="input", text="write a file hello.txt", sessionId=session)
        request = await client.of("permission_request", sessionId=session)
    # The line is cut with an ask open.
    async with connect(stage, token) as client:
        await client.say(type="get_history", sessionId=session)
        history = await client.of("history", sessionId=session)
        kinds = [it["type"] for it in history["messages"]]
        assert kinds.count("user_input") == 1, kinds
        await client.of("status", sessionId=session, status="waiting_approval")
        again = await client.of("permission_request", sessionId=session)
        assert again["toolUseId"] == request["toolUseId"], again
        await client.say(type="approve", id=again["toolUseId"], sessionId=session)
        await client.of("result", sessionId=session)
        await client.say(type="get_history", sessionId=session)
        history = await client.of("history", sessionId=session)
        asks = [it for it in history["messages"] if it["type"] == "permission_request"]
        assert len(asks) == 1 and asks[0]["resolved"]["decision"] == "allowed", asks
        uuids = [it["uuid"] for it in history["messages"] if it.get("uuid") and it["type"] == "assistant"]
        assert len(uuids) == len(set(uuids)), uuids


async def two_screens_see_the_same_and_one_answer_counts(stage, token):
    async with connect(stage, token) as one, connect(stage, token) as two:
        session = await begin(stage, one)
        await two.say(type="get_history", sessionId=session)
        await two.of("history", sessionId=session)
        await one.say(type="input", text="write a file hello.txt", sessionId=session)
        typed = await two.of("user_input", sessionId=session)
        assert typed["text"] == "write a file hello.txt", typed
        first, second = await one.of("permission_request"), await two.of("permission_request")
        assert first["toolUseId"] == second["toolUseId"]
        await two.say(type="approve", id=first["toolUseId"], sessionId=session)
        await one.of("result", sessionId=session)
        await two.of("result", sessionId=session)
        assert not [it for it in one.heard if it["type"] == "user_input"], "the sender is not told its own words"


async def what_is_wrong_costs_one_error(stage, token):
    async with connect(stage, token) as client:
        await client.of("session_list")
        cases = [
            ("{", "frame"),
            ("[]", "frame"),
            ('{"type":"nonsense"}', "type"),
            ('{"type":"input"}', "field"),
            ('{"type":"input","text":"x"}', "session"),
            ('{"type":"input","text":"x","sessionId":"none"}', "session"),
            ('{"type":"start","projectPath":"/nowhere/at/all"}', "folder"),
            ('{"type":"start","projectPath":"/etc"}', "folder"),
            ('{"type":"get_history","sessionId":"../../etc"}', "session"),
        ]
        for frame, code in cases:
            await client.socket.send(frame)
            error = await client.of("error")
            assert error["code"] == code, (frame, error)
        await client.socket.send(b"\x00binary")
        assert (await client.of("error"))["code"] == "frame"
        await client.say(type="list_sessions")
        await client.of("session_list")


TESTS = [
    starts_talks_and_gets_a_result,
    approves_a_call_once,
    the_first_messages_are_those_that_the_founding_project_tests,
    a_client_of_the_founding_project_finds_its_names,
    rejects_with_a_message_and_the_turn_goes_on,
    answers_a_question,
    lists_stops_and_resumes,
    reconnects_and_finds_everything,
    two_screens_see_the_same_and_one_answer_counts,
    what_is_wrong_costs_one_error,
]


def main():
    wanted = sys.argv[1:]
    failed = 0
    with Stage() as stage:
        token = stage.token()
        for test in TESTS:
            if wanted and test.__name__ not in wanted:
                continue
            try:
                asyncio.run(test(stage, token))
                print(f"ok   {test.__name__}", flush=True)
            except Exception as error:  # noqa: BLE001 - every failure is reported, and the other tests still run
                failed += 1
                print(f"FAIL {test.__name__}: {error!r}", flush=True)
                if os.environ.get("LOG"):
                    print(stage.log())
    print(f"{len(wanted or TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
