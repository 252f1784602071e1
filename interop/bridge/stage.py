"""A bridge of one's own for each test: a home, a state folder, a port, a token, and nothing left behind."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile

import websockets

BIN = os.environ["SLUICE_BIN"]


class Stage:
    """A running bridge. `script` is what the scripted model answers; without it the demo model does."""

    def __init__(self, agent=None, model=None, extra=()):
        self.root = tempfile.mkdtemp(prefix="sluice-bridge-")
        self.home = os.path.join(self.root, "home")
        self.folder = os.path.join(self.home, "project")
        self.state = os.path.join(self.root, "state")
        os.makedirs(self.folder)
        self.agent, self.model, self.extra = agent, model, list(extra)
        self.process = self.url = None
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("ANTHROPIC_", "CLAUDE", "SLUICE_"))}
        self.env.update(HOME=self.home, XDG_STATE_HOME=os.path.join(self.root, "xdg"))
        if model:
            self.env.update(
                ANTHROPIC_BASE_URL=model,
                ANTHROPIC_API_KEY="test",
                # The reference CLI asks nothing besides, so that the script is for the conversation alone.
                CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
                DISABLE_AUTOUPDATER="1",
            )
        self.port = "0"

    def start(self):
        command = [BIN, "serve", "--port", self.port, "--state", self.state, *self.extra]
        if self.agent:
            command += ["--agent", self.agent]
        self.process = subprocess.Popen(
            command, env=self.env, stdout=subprocess.PIPE, stderr=open(os.path.join(self.root, "log"), "a"), text=True
        )
        line = self.process.stdout.readline().strip()
        if "#pair=" not in line:
            raise AssertionError(f"no address: {line!r}; {self.log()}")
        self.url, self.code = line.split("/#pair=")
        self.port = self.url.rsplit(":", 1)[1]
        return self

    def log(self):
        with open(os.path.join(self.root, "log")) as file:
            return file.read()[-2000:]

    def ask(self, *words):
        done = subprocess.run([BIN, "serve", *words, "--state", self.state], env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout.strip()

    def token(self, name="test", scope="admin"):
        return self.ask("token", name, "--scope", scope)

    def kill(self, how=signal.SIGKILL):
        self.process.send_signal(how)
        self.process.wait(20)

    def restart(self, how=signal.SIGKILL):
        self.kill(how)
        return self.start()

    def runners(self):
        """Process ids of runners and agents that belong to this stage."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/environ", "rb") as file:
                    ours = f"HOME={self.home}".encode() in file.read().split(b"\0")
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    line = file.read()
                if (ours or self.state.encode() in line) and int(pid) != os.getpid():
                    found.append(int(pid))
        return found

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill(signal.SIGTERM)
        for pid in self.runners():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()


class Client:
    """A connection that remembers everything it heard."""

    def __init__(self, socket):
        self.socket, self.heard, self.at = socket, [], 0

    async def say(self, **message):
        await self.socket.send(json.dumps(message))

    async def next(self, seconds=20):
        if self.at < len(self.heard):
            self.at += 1
            return self.heard[self.at - 1]
        message = json.loads(await asyncio.wait_for(self.socket.recv(), seconds))
        self.heard.append(message)
        self.at += 1
        return message

    async def until(self, wanted, seconds=20):
        """The next message that fits; what came before it is passed over, not forgotten."""
        deadline = asyncio.get_running_loop().time() + seconds
        seen = []
        while True:
            left = deadline - asyncio.get_running_loop().time()
            try:
                message = await self.next(max(left, 0.01))
            except TimeoutError:
                raise AssertionError(f"nothing fits within {seconds} s; heard {[short(it) for it in seen[-12:]]}") from None
            seen.append(message)
            if wanted(message):
                return message

    async def receipt(self, id, seconds=20):
        """The receipt of a command. What came before it is still to be read: agents may be quicker than receipts."""
        deadline = asyncio.get_running_loop().time() + seconds
        at = self.at
        while True:
            if at == len(self.heard):
                left = deadline - asyncio.get_running_loop().time()
                self.heard.append(json.loads(await asyncio.wait_for(self.socket.recv(), max(left, 0.01))))
            message = self.heard[at]
            if message["type"] == "receipt" and message["id"] == id:
                # Read, and not to be read again.
                del self.heard[at]
                return message
            at += 1

    async def of(self, kind, seconds=20, **fields):
        fits = lambda it: it["type"] == kind and all(it.get(key) == value for key, value in fields.items())
        return await self.until(fits, seconds)


def short(message):
    return {key: (value if len(str(value)) < 60 else "…") for key, value in list(message.items())[:5]}


@contextlib.asynccontextmanager
async def connect(stage, token, path="/ws"):
    address = stage.url.replace("http", "ws", 1) + path
    async with websockets.connect(
        address, additional_headers={"Authorization": f"Bearer {token}"}, max_size=None, open_timeout=20
    ) as socket:
        yield Client(socket)
