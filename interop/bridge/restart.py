"""The bridge is killed in the middle of a streaming turn with an ask open: the turn goes on, the ask is answered after it,
nothing is missing or doubled on either of two screens. Driven by our agent, and by the reference CLI where
$REFERENCE_CLI names it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile

from chaos import Screen, judge
from stage import BIN, Stage

import random

# What the scripted model says: a long text that takes its time, two calls that are asked about, and an end.
SCRIPT = {
    "replies": [
        {
            "delay": 0.02,
            "content": [
                {"type": "text", "text": "one two three four five six seven eight nine ten " * 12},
                {"type": "tool_use", "name": "Bash", "input": {"command": "touch made-by-the-first", "description": "first"}},
            ],
        },
        {"delay": 0.02, "content": [{"type": "text", "text": "and this is the end of it " * 12}]},
    ]
}


async def play(agent, model, name):
    stage = Stage(agent=agent, model=model).start()
    dice = random.Random(7)
    try:
        token = stage.token()
        screens = [Screen(stage, token, f"screen{n}") for n in range(2)]
        stop = asyncio.Event()
        tasks = [asyncio.create_task(screen.run(dice, stop)) for screen in screens]
        id = await screens[0].command(dice, type="start", projectPath=stage.folder)
        session = (await screens[0].receipt(id))["data"]["sessionId"]
        for screen in screens:
            screen.wanted.add(session)
            await screen.command(dice, type="subscribe", sessionId=session)
        prompt = "0b2f7c62-0000-4000-8000-000000000001"
        id = await screens[0].command(dice, type="input", sessionId=session, text="write a file hello.txt", uuid=prompt)
        assert (await screens[0].receipt(id))["ok"]

        state = lambda screen: screen.state.get(session) or {}
        await until(lambda: state(screens[0]).get("turn"), "a turn begins")
        stage.restart(signal.SIGKILL)
        await until(lambda: state(screens[1]).get("asks"), "the ask is there after a restart in the turn", 60)
        ask = state(screens[1])["asks"][0]
        for screen in screens:
            screen.state.clear()
        stage.restart(signal.SIGKILL)
        await until(lambda: all(state(it).get("asks") for it in screens), "both screens see the ask after the second restart", 60)
        assert state(screens[0])["asks"][0]["ask"] == ask["ask"]
        id = await screens[1].command(dice, type="answer_ask", sessionId=session, ask=ask["ask"], decision="allow")
        receipt = await screens[1].receipt(id)
        assert receipt["ok"], receipt
        await until(lambda: results(screens[0], session) == 1 and results(screens[1], session) == 1, "one result on each", 60)
        judge(screens, [session], {session: [prompt]})
        await until(lambda: screens[0].items[session] == screens[1].items[session], "the screens show the same")
        shown = screens[0].items[session]
        outcomes = [it["body"]["permission"] for it in shown.values() if it["body"].get("permission")]
        assert [(it["outcome"], it["by"]["sender"]["name"]) for it in outcomes] == [("allowed", "test")], outcomes
        stop.set()
        for task in tasks:
            task.cancel()
        print(f"ok   {name}: two restarts in one turn with an ask open; {len(shown)} items on both screens")
    except BaseException:
        print(stage.log())
        raise
    finally:
        stage.close()


def results(screen, session):
    return sum(it["body"]["type"] == "turn_end" for it in screen.items.get(session, {}).values())


async def until(true, what, seconds=30):
    end = asyncio.get_running_loop().time() + seconds
    while not true():
        if asyncio.get_running_loop().time() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        await asyncio.sleep(0.02)


def main():
    asyncio.run(play(None, None, "our agent, demo model"))
    passed = 1
    reference = os.environ.get("REFERENCE_CLI")
    if reference:
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script.json")
            with open(script, "w") as file:
                json.dump(SCRIPT, file)
            model = subprocess.Popen([BIN, "sim", "model", script], stdout=subprocess.PIPE, text=True)
            address = model.stdout.readline().strip()
            try:
                asyncio.run(play(reference, address, "the reference CLI"))
                passed += 1
            finally:
                model.kill()
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print(f"FAIL {error}")
        print("0 passed, 1 failed")
        sys.exit(1)
