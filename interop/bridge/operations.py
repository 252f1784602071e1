"""Running a bridge for long: backups, limits, health, upgrades, units, logs, and what is recorded of its use."""

import asyncio
import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request

import websockets

from cases import can_mount, main, records, resident, runners, small_disk, soon, standing, test
from hard import command, hello, is_record, start
from stage import BIN, Stage, connect


def get(stage, path, token=None):
    """Status and body of a GET request."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(stage.url + path, headers=headers), timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def metric(stage, token, name):
    lines = get(stage, "/metrics", token)[1].splitlines()
    return float(next(line for line in lines if line.startswith(name + " ")).split()[1])


@contextlib.asynccontextmanager
async def another(stage, *words, limit=None):
    """A second bridge of the same person, with other flags."""
    limited = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limit)) if limit else None
    command = [BIN, "serve", "--port", "0", *words]
    process = subprocess.Popen(command, env=stage.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limited)
    try:
        line = await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), 30)
        yield type("There", (), {"url": line.strip().split("/#pair=")[0], "process": process})
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


@test("flood")
async def a_backup_is_taken_under_load_and_restored_on_another_path(stage, token):
    file, there = os.path.join(stage.root, "backup"), os.path.join(stage.root, "restored")
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="rename", sessionId=session, title="kept")
        await command(client, type="input", sessionId=session, text="go")
        await client.until(is_record("assistant"))
        said = await asyncio.to_thread(stage.ask, "backup", file)
        assert "1 sessions" in said and os.stat(file).st_mode & 0o777 == 0o600, said
        running = runners(stage)
        await client.until(is_record("result"), 180)
        assert runners(stage) == running, "the backup touched the agent"
    said = subprocess.run([BIN, "serve", "backup", file, "--state", stage.state], env=stage.env, capture_output=True, text=True)
    assert said.returncode and "already exists" in said.stderr, said
    subprocess.run([BIN, "serve", "restore", file, "--state", there], env=stage.env, check=True, capture_output=True)
    again = subprocess.run([BIN, "serve", "restore", file, "--state", there], env=stage.env, capture_output=True, text=True)
    assert again.returncode and "not empty" in again.stderr, again
    async with another(stage, "--state", there) as other, connect(other, token) as client:
        await hello(client)
        listed = (await client.of("session_list"))["sessions"]
        assert [(it["sessionId"], it["title"]) for it in listed if not it["external"]] == [(session, "kept")], listed
        assert (await command(client, type="follow_lines", sessionId=session, turns=20))["ok"]
        await client.until(standing("stopped"), 60)
        shown = await records(client, session)
        assert "restored from a backup" in json.dumps(shown[-1]), shown[-1]
        seqs = [it["seq"] for it in shown]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), "records are missing"
        ids = [it["what"]["message"]["id"] for it in shown if it["what"]["type"] == "assistant"]
        assert ids and ids == [f"m{number}" for number in range(int(ids[0][1:]), int(ids[0][1:]) + len(ids))], "lines of the log are missing"
    assert runners(stage) == running, "the restored bridge ended the agent of the original"


@test(start=False)
async def few_descriptors_do_not_lock_out_the_person_at_the_terminal(stage, _):
    async with another(stage, "--state", stage.state, limit=(256, 256)) as there, contextlib.AsyncExitStack() as stack:
        stage.url = there.url
        tokens = [stage.token(f"client {number}") for number in range(4)]
        opened = 0
        for token in tokens:
            for _ in range(70):
                with contextlib.suppress(OSError, websockets.WebSocketException, TimeoutError):
                    await stack.enter_async_context(connect(there, token))
                    opened += 1
        assert 64 <= opened < 128, opened
        assert "4 known" in stage.ask("status")


@test(start=False)
async def the_soft_limit_of_descriptors_is_raised(stage, _):
    async with another(stage, "--state", stage.state, limit=(256, 4096)) as there:
        with open(f"/proc/{there.process.pid}/limits") as file:
            [line] = [line for line in file if line.startswith("Max open files")]
        assert line.split()[3] == "4096", line


@test()
async def one_device_has_at_most_64_connections(stage, token):
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(64):
            await stack.enter_async_context(connect(stage, token))
        try:
            await stack.enter_async_context(connect(stage, token))
            raise AssertionError("a 65th connection was opened")
        except websockets.InvalidStatus as error:
            assert error.response.status_code in (429, 503), error
        async with connect(stage, stage.token("another")) as client:
            await hello(client)


@test("flood")
async def memory_is_returned_after_a_heavy_client_left(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        await command(client, type="input", sessionId=session, text="go")
        await client.until(is_record("result"), 180)
    viewer = stage.token("looks", "view")

    async def read_all():
        times, page, before = [], {"more": True}, {}
        async with connect(stage, viewer) as client:
            while page["more"]:
                began = time.monotonic()
                await client.say(type="get_history", sessionId=session, **before)
                page = await client.of("history")
                times.append(time.monotonic() - began)
                before = {"before": page.get("before")}
        return times

    # What the first reader leaves behind belongs to the session that is loaded.
    await read_all()
    await asyncio.sleep(10)
    before = resident(stage.process.pid)
    times = await read_all()
    end = time.monotonic() + 10
    while resident(stage.process.pid) > before * 1.1 and time.monotonic() < end:
        await asyncio.sleep(0.1)
    after = resident(stage.process.pid)
    assert after <= before * 1.1, (before, after)
    # Measured with the reading of JSON in Python; a debug build is several times slower.
    if "release" in BIN:
        assert sorted(times)[len(times) // 2] <= 0.05, sorted(times)


@test(start=False)
async def a_full_disk_is_reported_while_it_is_full(stage, _):
    if not can_mount():
        return "skipped: this machine lets nobody mount"
    with small_disk(stage, "16m"):
        token = stage.start().token()
        async with connect(stage, token) as client:
            await hello(client)
            session = await start(stage, client)
            assert json.loads(get(stage, "/api/health")[1])["status"] == "ok" and get(stage, "/readyz")[0] == 200
            filler = os.path.join(stage.state, "filler")
            with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * 4096)
            await client.say(type="input", id="one", sessionId=session, text="x" * 200_000)
            notice = await client.of("error", code="storage")
            assert "no space" in notice["message"] or "full" in notice["message"], notice
            assert not (await client.receipt("one"))["ok"]
            status, body = get(stage, "/api/health")
            assert status == 200 and json.loads(body)["status"] == "degraded", body
            assert get(stage, "/readyz")[0] == 503 and get(stage, "/healthz")[0] == 200
            assert metric(stage, token, "sluice_storage_failing") == 1
            assert metric(stage, token, "sluice_storage_errors_total") >= 1
            assert "problem" in stage.ask("status")
            os.remove(filler)
            assert (await command(client, type="input", sessionId=session, text="now"))["ok"]
            assert json.loads(get(stage, "/api/health")[1])["status"] == "ok"
            assert metric(stage, token, "sluice_storage_failing") == 0


@test()
async def metrics_cover_latency_queues_storage_gaps_and_disk(stage, token):
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        assert (await command(client, type="unsubscribe", sessionId=session))["ok"]
        assert (await command(client, type="subscribe", sessionId=session, revision=1))["ok"]
    get(stage, "/healthz")
    text = get(stage, "/metrics", token)[1]
    assert 'sluice_http_request_seconds_count{route="live"} 1' in text, text
    for name in ("store_queue", "prompts_queued", "storage_errors_total", "disk_free_bytes", "store_commit_seconds_total"):
        assert f"\nsluice_{name} " in text, name
    assert metric(stage, token, "sluice_gaps_total") == 1
    assert metric(stage, token, "sluice_disk_free_bytes") > 0


@test(start=False)
async def an_upgrade_to_a_program_that_does_not_start_is_refused(stage, _):
    own = os.path.join(stage.root, "sluice")
    shutil.copy(BIN, own)
    broken = os.path.join(stage.root, "broken")
    words = [own, "serve", "--port", "0", "--state", stage.state]
    with subprocess.Popen(words, env=stage.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            process.stdout.readline()
            before = json.loads(stage.ask("status", "--json"))
            for text in ("#!/bin/sh\necho 'cannot load its libraries' >&2\nexit 1\n", "no program"):
                with open(broken, "w") as file:
                    file.write(text)
                os.chmod(broken, 0o755)
                os.replace(broken, own)
                done = subprocess.run([BIN, "serve", "upgrade", "--state", stage.state], env=stage.env, capture_output=True, text=True, timeout=60)
                assert done.returncode and "does not start" in done.stderr, done
                after = json.loads(stage.ask("status", "--json"))
                assert (after["pid"], after["startedAt"]) == (before["pid"], before["startedAt"]), after
            # Sessions start as before: not with the program that is at the path now.
            stage.url = before["addresses"][0]
            async with connect(stage, stage.token()) as client:
                await hello(client)
                session = await start(stage, client, agent="sluice")
                await command(client, type="input", sessionId=session, text="hello")
                await client.until(is_record("result"))
            shutil.copy(BIN, broken)
            os.replace(broken, own)
            assert "upgrading" in stage.ask("upgrade")
            deadline = time.monotonic() + 30
            while True:
                with contextlib.suppress(AssertionError):
                    after = json.loads(stage.ask("status", "--json"))
                    if after["startedAt"] != before["startedAt"]:
                        break
                assert time.monotonic() < deadline, "the new version did not start"
                await asyncio.sleep(0.1)
            assert after["pid"] == before["pid"], after
        finally:
            process.terminate()


@contextlib.contextmanager
def upgraded(stage, trial, real):
    """A bridge that was upgraded to a script: `trial` is run when the program is tried, `real` when it takes over."""
    own, other = os.path.join(stage.root, "sluice"), os.path.join(stage.root, "other")
    shutil.copy(BIN, own)
    command = [own, "serve", "--port", str(free_port()), "--state", stage.state]
    with subprocess.Popen(command, env=stage.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            stage.url = process.stdout.readline().split("/#pair=")[0]
            process.token = stage.token()
            process.before = json.loads(stage.ask("status", "--json"))
            with open(other, "w") as file:
                file.write(f'#!/bin/sh\ncase "$*" in *sluice-trial*) {trial} ;; *) {real} ;; esac\n')
            os.chmod(other, 0o755)
            os.replace(other, own)
            assert "upgrading" in stage.ask("upgrade")
            yield process
        finally:
            process.terminate()


@test(start=False)
async def a_program_that_cannot_be_run_after_its_trial_gives_way_to_the_previous_one(stage, _):
    broken = f"echo broken >{stage.root}/broken; mv {stage.root}/broken {stage.root}/sluice; exec {BIN} \"$@\""
    with upgraded(stage, trial=broken, real="exit 1") as process:

        def is_back():
            with contextlib.suppress(AssertionError):
                return json.loads(stage.ask("status", "--json"))["startedAt"] != process.before["startedAt"]

        await soon(is_back, 30, "no version continues")
        assert process.poll() is None
        async with connect(stage, process.token) as client:
            await hello(client)
            session = await start(stage, client)
            await command(client, type="input", sessionId=session, text="hello")
            await client.until(is_record("result"))
        process.terminate()
        said = process.communicate(timeout=20)[1]
    assert "the new version does not start" in said and "the previous version continues" in said, said


@test(start=False)
async def a_program_that_fails_as_it_starts_gives_way_to_the_previous_one(stage, _):
    # The previous one gets the same words and fails too, which ends this test.
    real = f'exec {BIN} "$@" --tls-cert /nowhere --tls-key /nowhere'
    with upgraded(stage, trial=f'exec {BIN} "$@"', real=real) as process:
        said = (await asyncio.to_thread(process.communicate, timeout=30))[1]
    assert said.count("/nowhere: ") == 2 and "the previous version continues" in said, said


@test(start=False)
async def a_json_log_has_no_plain_lines_and_no_pairing_code(stage, _):
    command = [BIN, "serve", "--port", "0", "--state", stage.state, "--log-format", "json", "--qr"]
    with subprocess.Popen(command, env=stage.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(AssertionError):
                status = json.loads(stage.ask("status", "--json"))
                break
            assert time.monotonic() < deadline
            await asyncio.sleep(0.1)
        # Something that is printed for a person otherwise.
        device = json.loads(stage.ask("devices", "--json"))
        stage.token("short")
        [device] = json.loads(stage.ask("devices", "--json"))["devices"]
        stage.ask("devices", "--revoke", device["id"])
        process.terminate()
        out, err = process.communicate(timeout=20)
    lines = [json.loads(line) for line in (out + err).splitlines()]
    assert status["addresses"][0] in json.dumps(lines), lines
    assert "revoked: short" in json.dumps(lines), lines
    assert "#pair=" not in out + err


@test(start=False)
async def a_journal_gets_no_pairing_code(stage, _):
    """Standard output and standard error lead to a file, as they lead to the journal under systemd."""
    path = os.path.join(stage.root, "journal")
    with open(path, "w") as journal:
        about = os.fstat(journal.fileno())
        env = dict(stage.env, JOURNAL_STREAM=f"{about.st_dev}:{about.st_ino}")
        command = [BIN, "serve", "--port", "0", "--state", stage.state, "--qr"]
        with subprocess.Popen(command, env=env, stdout=journal, stderr=journal) as process:
            await soon(lambda: "://" in open(path).read(), why="it does not listen")
            await asyncio.sleep(0.2)
            process.terminate()
    text = open(path).read()
    assert "#pair=" not in text, text
    assert not set(text) & set("█▀▄"), "the code is in the journal as a picture"


@test(start=False)
async def a_unit_keeps_the_flags(stage, _):
    os.makedirs(stage.state, exist_ok=True)
    words = ["serve", "--state", "some state", "--idle", "5", "--agent", "claude", "unit"]
    text = subprocess.run([BIN, *words], cwd=stage.root, env=stage.env, check=True, capture_output=True, text=True).stdout
    [line] = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    assert line.endswith(f'serve --agent claude --state "{stage.root}/some state" --idle 5 --log-format json'), line
    assert "LimitNOFILE=65536" in text and "NoNewPrivileges=yes" in text, text
    # The flags may also come after `unit`.
    words = ["serve", "unit", "--state", "some state", "--idle", "5", "--agent", "claude"]
    again = subprocess.run([BIN, *words], cwd=stage.root, env=stage.env, check=True, capture_output=True, text=True).stdout
    assert again == text, again


@test()
async def devices_expire_after_the_last_use_and_the_time_is_settable(stage, token):
    stage.kill(signal.SIGTERM)
    with contextlib.closing(sqlite3.connect(os.path.join(stage.state, "bridge.db"))) as database, database:
        database.execute("UPDATE devices SET last_seen_at = last_seen_at - ?", (91 * 24 * 3600 * 1000,))
    stage.extra = ["--expire", "100"]
    stage.start()
    assert get(stage, "/metrics", token)[0] == 200
    stage.kill(signal.SIGTERM)
    with contextlib.closing(sqlite3.connect(os.path.join(stage.state, "bridge.db"))) as database, database:
        database.execute("UPDATE devices SET last_seen_at = ?", (int(time.time() - 91 * 24 * 3600) * 1000,))
    stage.extra = []
    stage.start()
    assert get(stage, "/metrics", token)[0] == 401


@test()
async def prompts_and_refusals_are_audited_with_the_address(stage, token):
    viewer = stage.token("viewer", "view")
    async with connect(stage, token) as client:
        await hello(client)
        session = await start(stage, client)
        assert (await command(client, type="input", sessionId=session, text="hello"))["ok"]
        async with connect(stage, viewer) as looking:
            await hello(looking)
            receipt = await command(looking, type="input", sessionId=session, text="no")
            assert receipt["error"]["code"] == "scope", receipt
        found = {}
        deadline = time.monotonic() + 20
        while not {"prompt", "refused"} <= set(found):
            assert time.monotonic() < deadline, found
            rows = (await command(client, type="audit"))["data"]["entries"]
            found = {row["action"]: row for row in rows}
        assert found["prompt"]["detail"].endswith("5 characters from 127.0.0.1"), found["prompt"]
        assert "input" in found["refused"]["detail"] and "127.0.0.1" in found["refused"]["detail"], found["refused"]


async def a_rule_of_the_session_is_removed_or_the_removal_is_refused():
    """With the real agent: stand-ins hold no rules."""
    with Stage() as stage:
        token = stage.token()
        async with connect(stage, token) as client:
            await hello(client)
            session = await start(stage, client)
            await command(client, type="input", sessionId=session, text="write a file hello.txt")
            state = await client.until(lambda it: it["type"] == "state" and it["asks"])
            await command(client, type="answer_ask", sessionId=session, ask=state["asks"][0]["ask"], decision="allow", rule="Write", destination="session")
            await client.until(is_record("result"))
            change = dict(type="change_rule", sessionId=session, behavior="allow", destination="session")

            async def rules():
                listed = (await command(client, type="rules", sessionId=session))["data"]["state"]["rules"]
                return [it["rule"] for it in listed if it["behavior"] == "allow"]

            assert "Write" in await rules()
            receipt = await command(client, **change, op="remove", rule="Write")
            assert receipt["ok"] is ("Write" not in await rules()), receipt
            assert (await command(client, **change, op="add", rule="Bash(ls)"))["ok"] and "Bash(ls)" in await rules()
            assert (await command(client, **change, op="remove", rule="Bash(ls)"))["ok"] and "Bash(ls)" not in await rules()
            assert not (await command(client, **change, op="remove", rule="Bash(ls)"))["ok"]


if __name__ == "__main__":
    if len(sys.argv) == 1 or "a_rule_of_the_session_is_removed_or_the_removal_is_refused" in sys.argv:
        asyncio.run(a_rule_of_the_session_is_removed_or_the_removal_is_refused())
        print("ok   a_rule_of_the_session_is_removed_or_the_removal_is_refused")
    sys.exit(main())
