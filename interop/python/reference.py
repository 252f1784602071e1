"""Sessions that change hands: begun here and gone on with by the reference CLI, and the other way round.

The folders of installed reference CLIs are the arguments; each holds node_modules/.bin/claude. Standard library only.
Ends with 'N passed, N failed'.
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

AGENT = os.environ["SLUICE_BIN"]
STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--permission-prompt-tool", "stdio", "--allowedTools", "Bash", "Write", "Edit"]
SECONDS = 90


def text(words):
    return [{"type": "text", "text": words}]


def seen(pattern):
    """A reply that repeats what of the request matches."""
    return text("Seen: $REQ{(" + pattern + ")}")


class Lab:
    """A folder and a home that several runs share, each with a scripted model of its own."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-reference-", ignore_cleanup_errors=True)
        root = Path(self.folder.name)
        self.cwd, self.home, self.script = root / "work", root / "home", root / "script.json"
        self.cwd.mkdir()
        self.home.mkdir()

    def run(self, agent, prompts, replies, *args, requests=(), env=()):
        """Says prompts one after the other, then sends control requests; gives every message."""
        with self.model(replies) as address:
            process = self.start(agent, args, {"ANTHROPIC_BASE_URL": address, **dict(env)})
            return self.talk(process, agent, prompts, args, requests)

    @contextlib.contextmanager
    def model(self, replies):
        """The address of a model that gives these replies."""
        self.script.write_text(json.dumps({"tag": os.urandom(4).hex(), "replies": replies}))
        with subprocess.Popen([AGENT, "sim", "model", self.script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as model:
            try:
                yield model.stdout.readline().strip()
            finally:
                model.kill()

    def start(self, agent, args, env):
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ANTHROPIC_API_KEY": "sk-test",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "1",
            **env,
        }
        return subprocess.Popen([agent, *STREAM, *args], cwd=self.cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def talk(self, process, agent, prompts, args, requests):
        messages = []

        def until(wanted):
            for line in process.stdout:
                messages.append(json.loads(line))
                if wanted(messages[-1]):
                    return
            raise AssertionError(f"{agent} ended: {process.stderr.read()[-800:]}\n{messages[-3:]}")

        try:
            for prompt in prompts:
                uuid = f"0000000{len(args)}-0000-4000-8000-{abs(hash((self.folder.name, agent, prompt, args))) % 10**12:012}"
                self.uuids = getattr(self, "uuids", []) + [uuid]
                say(process, {"type": "user", "message": {"role": "user", "content": prompt}, "uuid": uuid, "parent_tool_use_id": None, "session_id": ""})
                until(lambda message: message["type"] == "result")
            for number, request in enumerate(requests):
                say(process, {"type": "control_request", "request_id": f"r{number}", "request": request})
                until(lambda message: message["type"] == "control_response")
            process.stdin.close()
            process.wait(SECONDS)
            return messages
        finally:
            process.kill()
            process.wait()


def say(process, message):
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def session_of(messages):
    return next(message["session_id"] for message in messages if message.get("subtype") == "init")


def answer(messages):
    return [message["result"] for message in messages if message["type"] == "result"][-1]


WORK = [[{"type": "tool_use", "id": "toolu_r1", "name": "Bash", "input": {"command": "echo marker-from-bash", "description": "say it"}}], text("marker-first-answer")]


def goes_on(first, second):
    """What was said and what tools gave reaches the model of whoever goes on."""
    lab = Lab()
    session = session_of(lab.run(first, ["marker-prompt"], WORK))
    for pattern in ["marker-prompt", "marker-from-bash", "marker-first-answer"]:
        told = lab.run(second, [f"again {pattern[7:9]}"], [seen(pattern)], "--resume", session)
        assert answer(told) == f"Seen: {pattern}", (pattern, answer(told))
        assert session_of(told) == session
    # And back again: what the second added is known to the first.
    told = lab.run(first, ["and back"], [seen("again ma|again pr|again fr|again fi")], "--resume", session)
    assert "again" in answer(told), answer(told)


def compacted(first, second):
    """A summary takes the place of what it sums up for whoever goes on."""
    lab = Lab()
    replies = [text("marker-old"), text("marker-last"), text("<summary>marker-summary</summary>")]
    session = session_of(lab.run(first, ["one", "two", "/compact"], replies))
    for pattern, wanted in [("marker-summary", True), ("marker-old", False)]:
        told = lab.run(second, [f"three {pattern}".replace("marker-", "")], [seen(pattern)], "--resume", session)
        assert (answer(told) == f"Seen: {pattern}") is wanted, (pattern, answer(told))


def rewound(first, second):
    """Files are put back by whoever goes on as they stood before a prompt."""
    lab = Lab()
    file = lab.cwd / "f.txt"
    write = [{"type": "tool_use", "id": "toolu_w1", "name": "Write", "input": {"file_path": str(file), "content": "v1\n"}}]
    edit = [{"type": "tool_use", "id": "toolu_w2", "name": "Edit", "input": {"file_path": str(file), "old_string": "v1", "new_string": "v2"}}]
    session = session_of(lab.run(first, ["one", "two"], [write, text("Done"), edit, text("Done")]))
    assert file.read_text() == "v2\n"
    request = {"subtype": "rewind_files", "user_message_id": lab.uuids[1]}
    told = lab.run(second, ["three"], [text("Done")], "--resume", session, requests=[request])
    assert told[-1]["response"]["subtype"] == "success", told[-1]
    assert file.read_text() == "v1\n", file.read_text()


KILLS = 5


def killed(first, second):
    """A session killed at a random moment is gone on with, and everything that was announced of it is known."""
    dice = random.Random(2026)
    for moment in range(KILLS):
        lab = Lab()
        call = lambda number: {"type": "tool_use", "id": f"toolu_k{moment}{number}", "name": "Bash", "input": {"command": f"echo marker-{number}", "description": "say it"}}
        replies = [{"delay": 0.002, "content": [*text(f"marker-words-{number}"), call(number)]} for number in range(6)] + [text("marker-end")]
        after = dice.randrange(1, 14)
        with lab.model(replies) as address:
            process = lab.start(first, [], {"ANTHROPIC_BASE_URL": address})
            try:
                say(process, {"type": "user", "message": {"role": "user", "content": "marker-prompt"}, "parent_tool_use_id": None, "session_id": ""})
                heard = []
                # Before the first of these nothing was said, and there is nothing to go on with.
                while sum(message["type"] in ("user", "assistant") for message in heard) < after and (line := process.stdout.readline()):
                    heard.append(json.loads(line))
                time.sleep(dice.random() / 200)
            finally:
                process.kill()
                rest = process.stdout.read()
                process.wait()
        # A line that was cut off was not announced.
        heard += [json.loads(line) for line in rest.split("\n")[:-1]]
        said = [block["text"] for message in heard if message["type"] == "assistant" for block in message["message"]["content"] if block["type"] == "text"]
        session = session_of(heard)
        for number, pattern in enumerate(["marker-prompt", *said[-1:]]):
            # The same words twice would be the same prompt sent again.
            told = lab.run(second, [f"go on {number}"], [seen(pattern)], "--resume", session)
            assert answer(told) == f"Seen: {pattern}", (after, pattern, answer(told))
            assert session_of(told) == session


def main():
    passed = failed = 0
    for folder in sys.argv[1:]:
        reference = str(Path(folder) / "node_modules/.bin/claude")
        version = subprocess.run([reference, "--version"], capture_output=True, text=True, check=True).stdout.split()[0]
        ways = ((AGENT, reference, "ours, then theirs"), (reference, AGENT, "theirs, then ours"))
        for check in (goes_on, compacted, rewound, killed):
            # What another program writes before it dies is its own affair.
            for first, second, way in ways[:1] if check is killed else ways:
                try:
                    check(first, second)
                    passed += 1
                    print(f"ok   {version} {check.__name__}: {way}")
                except Exception:
                    failed += 1
                    print(f"FAIL {version} {check.__name__}: {way}")
                    traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
