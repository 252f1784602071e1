"""Tests resuming sessions of the reference CLI with sluice, and the other way round.

The arguments are folders of installed reference CLIs that contain node_modules/.bin/claude. Uses only the standard library.
The last line of output is 'N passed, N failed'.
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
    """Returns a reply that repeats the part of the request that matches."""
    return text("Seen: $REQ{(" + pattern + ")}")


class Lab:
    """A folder and a home that several runs share, each with a separate scripted model."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-reference-", ignore_cleanup_errors=True)
        root = Path(self.folder.name)
        self.cwd, self.home, self.script = root / "work", root / "home", root / "script.json"
        self.cwd.mkdir()
        self.home.mkdir()

    def run(self, agent, prompts, replies, *args, requests=(), env=()):
        """Sends prompts one after the other, then control requests. Returns all messages."""
        with self.model(replies) as address:
            process = self.start(agent, args, {"ANTHROPIC_BASE_URL": address, **dict(env)})
            return self.talk(process, agent, prompts, args, requests)

    @contextlib.contextmanager
    def model(self, replies):
        """Starts a model with these replies and returns its URL."""
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


def resumed(first, second):
    """Prompts, answers and tool results are sent to the model after resuming with the other program."""
    lab = Lab()
    session = session_of(lab.run(first, ["marker-prompt"], WORK))
    for pattern in ["marker-prompt", "marker-from-bash", "marker-first-answer"]:
        second_run = lab.run(second, [f"again {pattern[7:9]}"], [seen(pattern)], "--resume", session)
        assert answer(second_run) == f"Seen: {pattern}", (pattern, answer(second_run))
        assert session_of(second_run) == session
    # Resuming with the first program again includes the messages of the second.
    second_run = lab.run(first, ["and back"], [seen("again ma|again pr|again fr|again fi")], "--resume", session)
    assert "again" in answer(second_run), answer(second_run)


def compacted(first, second):
    """A summary replaces the summarised messages after resuming with the other program."""
    lab = Lab()
    replies = [text("marker-old"), text("marker-last"), text("<summary>marker-summary</summary>")]
    session = session_of(lab.run(first, ["one", "two", "/compact"], replies))
    for pattern, wanted in [("marker-summary", True), ("marker-old", False)]:
        second_run = lab.run(second, [f"three {pattern}".replace("marker-", "")], [seen(pattern)], "--resume", session)
        assert (answer(second_run) == f"Seen: {pattern}") is wanted, (pattern, answer(second_run))


def rewound(first, second):
    """The other program can restore files to their state before a prompt."""
    lab = Lab()
    file = lab.cwd / "f.txt"
    write = [{"type": "tool_use", "id": "toolu_w1", "name": "Write", "input": {"file_path": str(file), "content": "v1\n"}}]
    edit = [{"type": "tool_use", "id": "toolu_w2", "name": "Edit", "input": {"file_path": str(file), "old_string": "v1", "new_string": "v2"}}]
    session = session_of(lab.run(first, ["one", "two"], [write, text("Done"), edit, text("Done")]))
    assert file.read_text() == "v2\n"
    request = {"subtype": "rewind_files", "user_message_id": lab.uuids[1]}
    second_run = lab.run(second, ["three"], [text("Done")], "--resume", session, requests=[request])
    assert second_run[-1]["response"]["subtype"] == "success", second_run[-1]
    assert file.read_text() == "v1\n", file.read_text()


KILLS = 5


def killed(first, second):
    """A session that was killed at a random moment can be resumed with all messages that were sent to the host."""
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
                messages = []
                # Before the first of these messages there is nothing to resume.
                while sum(message["type"] in ("user", "assistant") for message in messages) < after and (line := process.stdout.readline()):
                    messages.append(json.loads(line))
                time.sleep(dice.random() / 200)
            finally:
                process.kill()
                rest = process.stdout.read()
                process.wait()
        # An incomplete line was not sent.
        messages += [json.loads(line) for line in rest.split("\n")[:-1]]
        texts = [block["text"] for message in messages if message["type"] == "assistant" for block in message["message"]["content"] if block["type"] == "text"]
        session = session_of(messages)
        for number, pattern in enumerate(["marker-prompt", *texts[-1:]]):
            # A repeated text would count as the same prompt.
            second_run = lab.run(second, [f"go on {number}"], [seen(pattern)], "--resume", session)
            assert answer(second_run) == f"Seen: {pattern}", (after, pattern, answer(second_run))
            assert session_of(second_run) == session


def main():
    passed = failed = 0
    for folder in sys.argv[1:]:
        reference = str(Path(folder) / "node_modules/.bin/claude")
        version = subprocess.run([reference, "--version"], capture_output=True, text=True, check=True).stdout.split()[0]
        orders = ((AGENT, reference, "sluice, then reference"), (reference, AGENT, "reference, then sluice"))
        for check in (resumed, compacted, rewound, killed):
            # What the reference CLI saves before it is killed is not tested.
            for first, second, order in orders[:1] if check is killed else orders:
                try:
                    check(first, second)
                    passed += 1
                    print(f"ok   {version} {check.__name__}: {order}")
                except Exception:
                    failed += 1
                    print(f"FAIL {version} {check.__name__}: {order}")
                    traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
