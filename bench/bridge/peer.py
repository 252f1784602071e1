"""Measures another bridge with the same stand-in agent and the same protocol, for comparison."""

import shutil
import signal
import statistics
import subprocess
import time
from pathlib import Path

from stage import Stage, status

PACKAGE = "@ccpocket/bridge"
# The SDK bundles a CLI, depending on its version as a script or as a program. The stand-in replaces it.
BUNDLED = ["claude-agent-sdk*/claude", "claude-agent-sdk/cli.js", "claude-agent-sdk/cli.mjs"]


def install(cache):
    """Installs the peer and returns the path of its program. Raises LookupError if npm cannot install it."""
    folder = cache / "peer"
    program = folder / "node_modules/.bin/ccpocket-bridge"
    if not program.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        words = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
        done = subprocess.run([*words, "--loglevel=error"], capture_output=True, text=True)
        if "E404" in done.stderr:
            raise LookupError("the package registry of this machine does not have it")
        if done.returncode or not program.exists():
            raise LookupError(f"npm cannot install it: {' '.join(done.stderr.split())[:200]}")
    return program


def put_agent(program, load, folder):
    """Installs the stand-in where the peer looks for `claude`: on PATH, and in place of the bundled one."""
    shell = f"#!/bin/sh\nexec '{load}' agent \"$@\"\n"
    script = (
        "#!/usr/bin/env node\nconst { spawn } = await import('node:child_process');\n"
        f"const agent = spawn({str(load)!r}, ['agent', ...process.argv.slice(2)], {{ stdio: 'inherit' }});\n"
        "agent.on('exit', (code) => process.exit(code ?? 1));\n"
    )
    modules = program.resolve().parents[3] if program.is_symlink() else program.parents[1]
    for pattern in BUNDLED:
        for file in (modules / "@anthropic-ai").glob(pattern):
            file.unlink()
            file.write_text(shell if file.name == "claude" else script)
            file.chmod(0o755)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "claude").write_text(shell)
    (folder / "claude").chmod(0o755)


def all_of(pid):
    """Returns the ids of a process and its descendants."""
    found = [pid]
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += all_of(int(child))
    return found


def measure(load, cache, deltas, every):
    """Measures start, memory, latency of deltas, and bytes sent."""
    program = install(cache)
    with Stage("", load) as stage:
        put_agent(program, load, stage.root / "bin")
        stage.env.update(
            PATH=f"{stage.root / 'bin'}:{stage.env['PATH']}", BRIDGE_PORT=str(stage.port), BRIDGE_HOST="127.0.0.1"
        )
        began = [stage.load("starting", str(program), times=1)["listening"]["median"] for _ in range(5)]
        log = open(stage.root / "log", "a")
        process = subprocess.Popen([str(program)], env=stage.env, stdout=log, stderr=log)
        try:
            time.sleep(5)
            idle = sum(status(pid)["VmRSS"] for pid in all_of(process.pid))
            streamed = stage.load("peer", path="/", deltas=deltas, every=every)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
    return {"listening": statistics.median(began), "idle": idle, **streamed}
