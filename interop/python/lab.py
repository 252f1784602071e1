"""Test setup: folders, a scripted model, and helpers for the messages of a session."""

import json
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from claude_agent_sdk import (
    AssistantMessage,
    ClaudeAgentOptions,
    ResultMessage,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    UserMessage,
)

AGENT = os.environ["SLUICE_BIN"]
MODEL = shlex.split(os.environ.get("SLUICE_SIM", "")) or [AGENT, "sim", "model"]
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Lab:
    """A folder, a home, a scripted model, and options that use all three."""

    def __init__(self, *replies):
        self.stderr = []
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-interop-", ignore_cleanup_errors=True)
        root = Path(self.folder.name)
        self.cwd, self.home, script = root / "work", root / "home", root / "script.json"
        self.cwd.mkdir()
        self.home.mkdir()
        script.write_text(json.dumps({"replies": replies}))
        self.model = subprocess.Popen([*MODEL, str(script)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.address = self.model.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.address

    def write(self, path, content):
        """Writes a file of the project."""
        path = self.cwd / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def options(self, **more):
        env = {
            "ANTHROPIC_BASE_URL": self.address,
            "ANTHROPIC_API_KEY": "sk-test",
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.home / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        env.update(more.pop("env", {}))
        return ClaudeAgentOptions(cli_path=AGENT, cwd=self.cwd, env=env, stderr=self.stderr.append, **more)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.model.kill()
        self.model.wait()
        self.model.stdout.close()
        self.folder.cleanup()
        if kind is None:
            assert self.stderr == [], f"stderr is not empty: {self.stderr}"


def text(value, **more):
    return {"content": [{"type": "text", "text": value}], **more}


def call(name, **input):
    call.count += 1
    return [{"type": "tool_use", "id": f"toolu_{call.count:04}", "name": name, "input": input}]


call.count = 0


async def turn(client, prompt=None):
    """Returns all messages up to the result of the turn."""
    if prompt is not None:
        await client.query(prompt)
    return [message async for message in client.receive_response()]


def only(messages, kind):
    return [message for message in messages if isinstance(message, kind)]


def texts(messages):
    return [block.text for message in only(messages, AssistantMessage) for block in message.content if isinstance(block, TextBlock)]


def outcomes(messages):
    """Returns (text, is_error) of every tool result."""
    return [
        (str(block.content), bool(block.is_error))
        for message in only(messages, UserMessage)
        if isinstance(message.content, list)
        for block in message.content
        if isinstance(block, ToolResultBlock)
    ]


def result(messages):
    (last,) = only(messages, ResultMessage)
    assert messages[-1] is last
    return last


def equal(one, other):
    assert one == other, f"{one!r} is not {other!r}"


def inits(messages):
    return [message.data for message in only(messages, SystemMessage) if message.subtype == "init"]
