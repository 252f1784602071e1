"""Starts a separate bridge for each measurement, with its own home, state folder, port and token, and cleans up after it."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

SECONDS = 240


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def status(pid):
    """Returns the resident and the private memory of a process in KiB."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {name: int(fields[name].split()[0]) for name in ("VmRSS", "RssAnon")}


def cpu(pid):
    """Returns the CPU time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Stage:
    def __init__(self, sluice, load):
        self.sluice, self.program = sluice, load
        self.root = Path(tempfile.mkdtemp(prefix="sluice-bench-"))
        self.home, self.state = self.root / "home", self.root / "state"
        self.folder = self.home / "project"
        self.folder.mkdir(parents=True)
        self.port, self.token, self.process = free_port(), "", None
        unrelated = ("ANTHROPIC_", "CLAUDE", "SLUICE_")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(unrelated)}
        self.env.update(HOME=str(self.home), XDG_STATE_HOME=str(self.root / "xdg"))

    def command(self, state=None):
        agent = f"'{self.program}' agent"
        return [self.sluice, "serve", "--port", str(self.port), "--state", str(state or self.state), "--agent", agent]

    def start(self):
        log = open(self.root / "log", "a")
        self.process = subprocess.Popen(self.command(), env=self.env, stdout=subprocess.PIPE, stderr=log, text=True)
        if "#pair=" not in self.process.stdout.readline():
            raise RuntimeError(f"the bridge did not start: {(self.root / 'log').read_text()[-2000:]}")
        if not self.token:
            words = [self.sluice, "serve", "token", "load", "--scope", "admin", "--state", str(self.state)]
            made = subprocess.run(words, env=self.env, capture_output=True, text=True, check=True)
            self.token = made.stdout.split()[-1]
        return self

    def load(self, what, *command, **flags):
        """Runs the load generator and returns its measurements."""
        words = [self.program, what, "--address", f"127.0.0.1:{self.port}", "--folder", str(self.folder)]
        for name, value in {"token": self.token, **flags}.items():
            if value != "":
                words += [f"--{name}", str(value)]
        if command:
            words += ["--", *command]
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode:
            raise RuntimeError(f"load {what}: {done.stderr.strip()[-500:]}")
        return json.loads(done.stdout)

    def stop(self):
        """Ends the bridge; runners and agents keep running."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)

    def processes(self, part=""):
        """Returns the processes of this stage that still run: those with its folder in their command line or home."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                ours = str(self.root) in line or f"HOME={self.home}".encode() in variables
                if ours and part in line and int(pid) != os.getpid():
                    found.append(int(pid))
        return found

    def end_agents(self):
        """Ends all agents and waits until they and their runners have exited."""
        self.load("stop")
        deadline = time.monotonic() + 60
        while self.processes("runner run"):
            if time.monotonic() > deadline:
                raise RuntimeError("runners do not end")
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.stop()
        for pid in self.processes():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.root, ignore_errors=True)
