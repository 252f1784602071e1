"""What goes wrong around a bridge: each is said plainly, with what to do, and nothing acknowledged is lost."""

import asyncio
import contextlib
import datetime
import json
import os
import re
import signal
import socket
import subprocess
import sys
import uuid

from cases import can_mount, items, main, records, refusal, resident, runners, small_disk, soon, standing, test
from hard import cmdline, command, hello, is_record, start
from stage import BIN, connect

@test(extra=["--idle", "0.02"])
async def an_idle_agent_is_ended_and_the_next_prompt_starts_it_again(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="one")
        await client.until(is_record("result"))
        await soon(lambda: not runners(stage), why="the idle agent is kept")
        # The person does not notice: the prompt is taken as any other.
        receipt = await command(client, type="input", sessionId=session, text="two")
        assert receipt["ok"], receipt
        await client.until(is_record("result"))
        words = [it["info"]["standing"] for it in client.heard if it["type"] == "state"]
        assert not {"crashed", "stopped", "lost"} & set(words), words


@test("asks")
async def the_bridge_becomes_another_version_while_an_ask_is_open(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="go")
        state = await client.until(lambda it: it["type"] == "state" and it["asks"])
        ask, agents, pid, port = state["asks"][0]["ask"], runners(stage), stage.process.pid, stage.port
        stage.ask("upgrade")
        await client.of("bye", reason="restarting")
    assert stage.process.poll() is None, "the process ended"
    async with connect(stage, token) as client:
        assert (stage.process.pid, stage.port) == (pid, port)
        await hello(client)
        assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
        assert runners(stage) == agents, "the agent was started anew"
        receipt = await command(client, type="answer_ask", sessionId=session, ask=ask, decision="allow")
        assert receipt["ok"], receipt
        result = await client.until(is_record("result"))
        assert result["what"]["result"] == "allow", result


@test()
async def a_damaged_database_is_set_aside_and_sessions_come_back(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="rename", sessionId=session, title="kept")
        for text in ("one", "two"):
            await command(client, type="input", sessionId=session, text=text)
            await client.until(is_record("result"))
        agents = runners(stage)
    stage.kill(signal.SIGTERM)
    with open(os.path.join(stage.state, "bridge.db"), "r+b") as file:
        size = os.fstat(file.fileno()).st_size
        for page in range(1, size // 4096):
            file.seek(page * 4096)
            file.write(os.urandom(4096))
    stage.start()
    assert "damaged" in stage.log() and "set aside" in stage.log(), stage.log()
    assert [name for name in os.listdir(stage.state) if "damaged" in name], os.listdir(stage.state)
    # Devices are kept in a second file: the token is still valid, and an error message names the damage.
    async with connect(stage, token) as client:
        await hello(client)
        notice = await client.of("error", code="storage")
        assert "was damaged and has been repaired" in notice["message"], notice
        client.at = 0
        listed = (await client.of("session_list"))["sessions"]
        assert [(it["sessionId"], it["title"]) for it in listed if not it["external"]] == [(session, "kept")], listed
        assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
        results = 0
        while results < 2:
            message = await client.next()
            told = [message] if message["type"] == "line" else []
            results += sum(it["what"]["type"] == "result" for it in told)
        assert runners(stage) == agents, "the agent was started anew"
        await command(client, type="input", sessionId=session, text="three")
        await client.until(lambda it: is_record("result")(it) and it["what"]["result"] == "prompt 3")


@test(start=False)
async def a_read_only_state_folder_is_said(stage, _):
    if not can_mount():
        return "skipped: this machine lets nobody mount"
    with small_disk(stage, "8m"):
        subprocess.run(["mount", "-o", "remount,ro", stage.state], check=True)
        said = refusal(stage, "--port", "0", "--state", stage.state)
        assert stage.state in said and ("read-only" in said.lower() or "Read-only" in said), said
        subprocess.run(["mount", "-o", "remount,rw", stage.state], check=True)


@test(start=False)
async def a_port_that_is_taken_is_refused_with_who_has_it(stage, _):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refusal(stage, "--port", str(port), "--state", stage.state)
        assert str(port) in said and str(os.getpid()) in said and "hint" in said, said


@test()
async def a_second_bridge_on_the_same_folder_is_refused(stage, _):
    said = refusal(stage, "--port", "0", "--state", stage.state)
    assert stage.state in said and str(stage.process.pid) in said, said


@test(agent="no-such-agent-anywhere")
async def an_agent_that_is_not_there_is_said(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        receipt = await command(client, type="start", projectPath=stage.folder)
        assert not receipt["ok"] and receipt["error"]["code"] == "agent", receipt
        assert "no-such-agent-anywhere" in receipt["error"]["message"] and receipt["error"]["hint"], receipt


@test("quits")
async def an_agent_that_exits_at_once_is_shown_with_its_last_words(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        receipt = await command(client, type="start", projectPath=stage.folder)
        session = receipt["data"]["sessionId"]
        assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
        crashed = await client.until(standing("crashed"))
        assert "my last words" in crashed["info"]["about"], crashed["info"]
        # A prompt sent now is either queued or refused with a message.
        receipt = await command(client, type="input", sessionId=session, text="anybody?")
        assert receipt["ok"] or receipt["error"]["message"], receipt


@test()
async def garbage_costs_an_error_and_nothing_else(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        for frame, code in [
            ("no JSON", "frame"),
            ("[]", "frame"),
            ('{"kind":1}', "frame"),
            ('{"type":"from_the_future"}', "type"),
            ('{"type":"input","sessionId":7,"text":[]}', "field"),
            ('{"type":"subscribe","sessionId":"nobody"}', "session"),
            ('{"type":"rename","sessionId":"../../etc/passwd","title":"x"}', "session"),
            ('{"type":"get_history","sessionId":"nobody"}', "session"),
            (json.dumps({"type": "answer_ask", "sessionId": session, "ask": "none", "decision": "allow"}), "ask"),
        ]:
            await client.socket.send(frame)
            error = await client.of("error")
            assert error["code"] == code, (frame, error)
        await client.socket.send(b"\x00binary")
        assert (await client.of("error"))["code"] == "frame"
        # The same connection works on.
        await command(client, type="input", sessionId=session, text="go")
        await client.until(is_record("result"))
    async with connect(stage, token) as client:
        await hello(client)
        with contextlib.suppress(Exception):
            await client.socket.send("x" * (25 * 1024 * 1024))
        await asyncio.wait_for(client.socket.wait_closed(), 20)
        assert client.socket.close_code == 1009, client.socket.close_code


@test("plain", start=False)
async def a_full_disk_refuses_what_it_cannot_keep_and_keeps_the_rest(stage, _):
    if not can_mount():
        return "skipped: this machine lets nobody mount"
    with small_disk(stage, "12m"):
        stage.start()
        token = stage.token()
        async with connect(stage, token) as client:
            await hello(client)
            session = await start(stage, client)
            await command(client, type="input", sessionId=session, text="before")
            await client.until(is_record("result"))
            filler = os.path.join(stage.state, "filler")
            with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * 4096)
            refused, accepted = 0, []
            for number in range(40):
                prompt = str(uuid.uuid4())
                receipt = await command(client, type="input", sessionId=session, text="x" * 20_000, uuid=prompt)
                if receipt["ok"]:
                    accepted.append(prompt)
                else:
                    refused += 1
                    assert receipt["error"]["code"] == "storage" and receipt["error"]["hint"], receipt
                    if refused == 3:
                        break
            assert refused, "a full disk was never noticed"
            os.remove(filler)
            # There is room again: everything that was accepted runs, and new prompts are taken.
            last = str(uuid.uuid4())
            end = asyncio.get_running_loop().time() + 30
            while True:
                receipt = await command(client, type="input", sessionId=session, text="after", uuid=last)
                if receipt["ok"]:
                    break
                assert asyncio.get_running_loop().time() < end, receipt
            accepted.append(last)
            done = lambda it: is_record("sluice_prompt")(it) and it["what"]["uuid"] == last and it["what"]["state"] == "delivered"
            await client.until(done, 60)
        stage.restart(signal.SIGKILL)
        async with connect(stage, token) as client:
            await hello(client)
            assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
            delivered = []
            while last not in delivered:
                message = await client.next()
                told = [message] if message["type"] == "line" else []
                delivered += [it["what"]["uuid"] for it in told if it["what"]["type"] == "sluice_prompt"]
            assert set(accepted) <= set(delivered), (len(accepted), len(delivered))
            assert len(delivered) == len(set(delivered)), "a prompt ran twice"


@test()
async def a_runner_that_is_killed_as_it_starts_leaves_no_session_starting(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        for round in range(30):
            before = set(runners(stage))
            id = str(uuid.uuid4())
            await client.say(type="start", id=id, projectPath=stage.folder, text="go")
            await soon(lambda: set(runners(stage)) - before, why="no runner was started")
            await asyncio.sleep(round % 15 / 1000)
            for pid in set(runners(stage)) - before:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            receipt = await client.receipt(id)
            assert receipt["ok"], receipt
            session = receipt["data"]["sessionId"]
            assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
            await client.until(lambda it: standing("crashed")(it) and it["sessionId"] == session, 15)


@test("silent")
async def a_paused_runner_is_shown_and_can_be_stopped(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="go")
        await client.until(lambda it: it["type"] == "state" and it["activity"]["state"] == "running")
        [runner] = runners(stage)
        os.kill(runner, signal.SIGSTOP)
        await client.until(standing("lost"), 10)
        os.kill(runner, signal.SIGCONT)
        await client.until(standing("running", "stalled"), 10)
        os.kill(runner, signal.SIGSTOP)
        assert (await command(client, type="stop_session", sessionId=session))["ok"]
        await client.until(standing("stopped"), 10)
        await soon(lambda: stage.runners() == [stage.process.pid], 5, "processes of a stopped session live on")


@test("silent")
async def a_stop_is_confirmed_when_the_agent_has_ended(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        for busy in (True, False):
            session = await start(stage, client)
            if busy:
                await command(client, type="input", sessionId=session, text="go")
                await client.until(lambda it: it["type"] == "state" and it["activity"]["state"] == "running")
            # Sent twice: one effect and one receipt.
            id = str(uuid.uuid4())
            for _ in range(2):
                await client.say(type="stop_session", id=id, sessionId=session)
            # Other commands do not wait for it.
            assert (await command(client, type="status"))["ok"]
            assert [(await client.receipt(id))["ok"] for _ in range(2)] == [True, True]
            assert not [pid for pid in stage.runners() if b"agent.py\0silent" in cmdline(pid)], "the agent still runs"
            await soon(lambda: not runners(stage), 2, "its runner still runs")
        # What follows a stop comes after it.
        await client.say(type="resume_session", id="resume", sessionId=session)
        await client.say(type="stop_session", id="stop", sessionId=session)
        await client.say(type="resume_session", id="again", sessionId=session)
        assert (await client.receipt("stop"))["ok"] and (await client.receipt("again"))["ok"]
        await client.until(lambda it: it["type"] == "state" and it["sessionId"] == session and it["process"]["state"] == "up")


@test("silent")
async def stopping_a_session_interrupts_its_turn_first(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="go")
        await client.until(lambda it: it["type"] == "state" and it["activity"]["state"] == "running")
        assert (await command(client, type="stop_session", sessionId=session))["ok"]
        await client.until(standing("stopped"))
        assert os.path.exists(os.path.join(stage.folder, "interrupted")), "the agent was not interrupted"


@test()
async def a_prompt_keeps_its_author_when_the_bridge_is_killed_after_its_delivery(stage, token):
    session, expected = None, 0
    for round in range(30):
        async with connect(stage, token) as client:
            await hello(client)
            if session is None:
                session = await start(stage, client)
            else:
                assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
            assert (await command(client, type="input", sessionId=session, text=f"prompt {round}"))["ok"]
            await asyncio.sleep(round % 9 / 1000)
            stage.kill(signal.SIGKILL)
        stage.start()
        async with connect(stage, token) as client:
            await hello(client)
            assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
            await client.until(lambda it: it["type"] == "state" and it["activity"]["state"] == "idle" and not it["queue"] and it["info"]["turns"] > round)
            shown = await records(client, session)
            by = [it["what"]["by"] for it in shown if it["what"]["type"] == "sluice_prompt"]
            assert by == ["test"] * (round + 1), (round, by)


@test()
async def a_copied_state_folder_leaves_the_agents_of_the_original_alone(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="go")
        await client.until(is_record("result"))
        agents = runners(stage)
        copy = os.path.join(stage.root, "copy")
        subprocess.run(["cp", "-a", stage.state, copy], check=True)
        other = subprocess.Popen([BIN, "serve", "--port", "0", "--state", copy], env=stage.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            there = type("There", (), {"url": other.stdout.readline().split("/#pair=")[0]})
            async with connect(there, token) as looking:
                await hello(looking)
                assert (await command(looking, type="follow_lines", sessionId=session, turns=20))["ok"]
                state = await looking.until(standing("stopped"))
                shown = json.dumps(await records(looking, session))
                assert "this state folder is a copy" in shown and "was ended" not in shown, (state, shown[-600:])
        finally:
            other.terminate()
            other.wait(20)
        assert runners(stage) == agents, "the copy ended the runner of the original"
        await command(client, type="input", sessionId=session, text="again")
        result = await client.until(is_record("result"))
        assert result["what"]["result"] == "prompt 2", result


@test("flood")
async def a_long_history_is_sent_in_pages_and_costs_little_memory(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="go")
        await client.until(is_record("result"), 120)
    before = resident(stage.process.pid)
    messages, page, pages = [], {"more": True}, 0
    async with connect(stage, stage.token("looks", "view")) as client:
        while page["more"]:
            await client.say(type="get_history", sessionId=session, **({"before": page["before"]} if pages else {}))
            page = await client.of("history")
            assert len(json.dumps(page)) < 4 << 20, "a page is too large"
            messages = page["messages"] + messages
            pages += 1
    texts = [it for it in messages if it["type"] == "assistant"]
    assert pages > 10 and len(texts) == 20_001, (pages, len(texts))
    ids = [it["message"]["id"] for it in texts[:-1]]
    assert ids == [f"m{number}" for number in range(20_000)], "the order is wrong, or a message is missing"
    assert resident(stage.process.pid) < before + 64, (before, resident(stage.process.pid))


def transcript(stage, provider):
    """The file in which the agent saves a session of the stage's folder."""
    folder = os.path.join(stage.home, ".claude", "projects", re.sub("[^a-zA-Z0-9]", "-", os.path.realpath(stage.folder)))
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, provider + ".jsonl")


def entries(stage, provider, messages):
    """Lines of a transcript: (uuid, role, text)."""
    before = None
    for uuid_, role, text in messages:
        at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
        content = text if role == "user" else [{"type": "text", "text": text}]
        yield json.dumps(
            {"parentUuid": before, "isSidechain": False, "userType": "external", "cwd": stage.folder, "sessionId": provider, "version": "2.1.326", "type": role,
             "message": {"role": role, "content": content}, "uuid": uuid_, "timestamp": at}
        )
        before = uuid_


async def check_turns(client, session):
    shown = await items(client, session)
    prompts = [(it["body"]["text"], it["turn"]) for it in shown if it["body"]["type"] == "prompt"]
    assert prompts == [("first", 0), ("asked elsewhere", 1), ("last", 2)], prompts
    answers = [(it["body"]["text"], it["turn"]) for it in shown if it["body"]["type"] == "text"]
    assert answers == [("prompt 1", 0), ("answered elsewhere", 1), ("prompt 1", 2)], answers


@test()
async def a_conversation_that_went_on_in_another_program_is_shown_whole(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        first = str(uuid.uuid4())
        await command(client, type="input", sessionId=session, text="first", uuid=first)
        said = await client.until(is_record("assistant"))
        await client.until(is_record("result"))
        assert (await command(client, type="stop_session", sessionId=session))["ok"]
        state = await client.until(standing("stopped"))
        provider = state["info"]["providerSessionId"]
        known = [(first, "user", "first"), (said["what"]["uuid"], "assistant", "prompt 1")]
        outside = [(str(uuid.uuid4()), "user", "asked elsewhere"), (str(uuid.uuid4()), "assistant", "answered elsewhere")]
        with open(transcript(stage, provider), "w") as file:
            file.write("\n".join(entries(stage, provider, known + outside)) + "\n")
        # By the agent's own id, as a terminal does that hands its session over.
        receipt = await command(client, type="resume_session", sessionId=provider)
        assert receipt["ok"] and receipt["data"]["sessionId"] == session, receipt
        await command(client, type="input", sessionId=session, text="last")
        await client.until(is_record("result"))
        await check_turns(client, session)
    stage.restart(signal.SIGKILL)
    async with connect(stage, token) as client:
        await hello(client)
        assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
        await check_turns(client, session)


@test("suggests")
async def a_rule_for_all_projects_needs_the_scope_of_settings(stage, token):
    approver = stage.token("approver", "approve")
    async with connect(stage, approver) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="go")
        state = await client.until(lambda it: it["type"] == "state" and it["asks"])
        answer = dict(type="answer_ask", sessionId=session, ask=state["asks"][0]["ask"], decision="allow", suggestions=[0])
        receipt = await command(client, **answer)
        assert not receipt["ok"] and receipt["error"]["code"] == "scope", receipt
        receipt = await command(client, **answer, destination="session")
        assert receipt["ok"], receipt
        await client.until(is_record("result"))


if __name__ == "__main__":
    sys.exit(main())
