#!/usr/bin/env python3
"""Runs the same scripted turns with sluice and with the reference CLI, alternating in one run.

    SLUICE_BIN=target/release/sluice python3 bench/bench.py [--rounds N] [--no-reference] [--out FILE]

Prints a table with ratios and the limits that were met, and writes it to bench/RESULTS.md. Uses only the standard library;
needs Linux.
"""

import argparse
import json
import os
import platform
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import reach

HERE = Path(__file__).resolve().parent
REFERENCE = "2.1.325"
PACKAGE = "@anthropic-ai/claude-code"
STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--permission-prompt-tool", "stdio"]
SECONDS = 180
MIB = 1024 * 1024

# name, unit, what is measured
ROWS = [
    ("version", "ms", "`-v`"),
    ("first_line", "ms", "spawn → first line"),
    ("result", "ms", "spawn → result"),
    ("second", "ms", "second turn, overhead of the agent"),
    ("idle", "MiB", "resident after a turn"),
    ("peak", "MiB", "peak of two turns"),
    ("tools", "ms", "100 tool calls in one turn"),
    ("deltas", "ms", "20,000 deltas, spawn → result"),
    ("deltas_idle", "MiB", "resident after 20,000 deltas"),
    ("deltas_peak", "MiB", "peak of 20,000 deltas"),
    ("mcp", "ms", "`mcp serve`, spawn → `initialize` answered"),
    ("mcp_idle", "MiB", "`mcp serve`, resident after `tools/list`"),
    ("initialize", "ms", "spawn → `initialize` answered"),
    ("catalogue", "ms", "additional time for 50 commands, 50 skills, 20 agents"),
    ("resume", "ms", "100 MiB transcript, spawn → first line"),
    ("resume_memory", "×", "its memory relative to the live part of the transcript"),
    ("crew", "MiB", "resident with 20 background subagents"),
    ("binary", "MiB", "binary"),
]

# Limits for sluice by row, in the unit of the row.
LIMITS = {"version": 5, "first_line": 25, "mcp": 25, "mcp_idle": 20, "second": 5, "idle": 20, "deltas_idle": 40, "binary": 30}
LIMITS |= {"initialize": 10, "catalogue": 5, "resume": 400, "resume_memory": 3, "crew": 60}
DELTAS_TIMES_FASTER = 10


class Model:
    """The scripted Messages API, in a separate process."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, HERE / "model.py"], stdout=subprocess.PIPE, text=True)
        self.address = f"http://127.0.0.1:{int(self.process.stdout.readline())}"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def ask(self, path):
        with urllib.request.urlopen(self.address + path) as answer:
            return json.load(answer)

    def spent(self):
        return self.ask("/spent")["seconds"]


class Agent:
    """A program under test, with a home folder that exists during the run."""

    def __init__(self, name, path, root, model):
        self.name, self.path, self.model = name, str(path), model
        self.home, self.cwd = root / name / "home", root / name / "work"
        self.home.mkdir(parents=True)
        self.cwd.mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "ANTHROPIC_BASE_URL": model.address,
            "ANTHROPIC_API_KEY": "sk-test",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def version(self):
        """Returns the duration in milliseconds, and the output."""
        return timed([self.path, "-v"], env=self.env, cwd=self.cwd)

    def session(self, *flags, cwd=None):
        return Session(self, flags, cwd=cwd)


class Session:
    """A running agent; this side acts as its host."""

    def __init__(self, agent, flags, command=STREAM, cwd=None):
        self.began = time.monotonic()
        self.process = subprocess.Popen([agent.path, *command, *flags], env=agent.env, cwd=cwd or agent.cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.out = self.process.stdout.fileno()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def turn(self, prompt):
        """Sends a prompt and reads up to its result. Returns (time sent, time of the first line, end time, number of lines, result)."""
        message = {"type": "user", "message": {"role": "user", "content": prompt}, "parent_tool_use_id": None, "session_id": ""}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        sent = time.monotonic()
        self.process.stdin.flush()
        first, lines, tail = None, 0, b""
        while True:
            if not select.select([self.out], [], [], SECONDS)[0]:
                raise RuntimeError("no output for too long")
            piece = os.read(self.out, MIB)
            if not piece:
                raise RuntimeError("the agent exited before the result")
            newlines = piece.count(b"\n")
            if newlines and first is None:
                first = time.monotonic()
            lines += newlines
            tail += piece
            if newlines:
                end = time.monotonic()
                *whole, tail = tail.split(b"\n")
                # Only lines that may be a result are parsed.
                for line in whole:
                    if b'"type":"result"' in line and (found := json.loads(line)).get("type") == "result":
                        if found.get("is_error"):
                            raise RuntimeError(f"error result: {found.get('result')}")
                        return sent, first, end, lines, found

    def memory(self, field):
        """Returns the sum of a memory field over the process and its children, in bytes."""
        total = 0
        for pid in family(self.process.pid):
            try:
                status = Path(f"/proc/{pid}/status").read_text()
            except OSError:
                continue
            total += sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(field + ":"))
        return total


def timed(command, **more):
    """Returns the milliseconds from spawn to exit, and the standard output."""
    began = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=True, **more)
    return (time.monotonic() - began) * 1e3, done.stdout.strip()


def family(pid):
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += family(int(child))
    except OSError:
        pass
    return found


def resident(session):
    """Returns the resident memory in MiB a short time after the turn."""
    time.sleep(0.5)
    return session.memory("VmRSS") / MIB


def turns(agent):
    with agent.session() as session:
        _, first, end, _, _ = session.turn("bench-short one")
        time.sleep(0.2)  # work after the result is not part of the next turn
        agent.model.spent()
        sent, _, second, _, _ = session.turn("bench-short two")
        own = second - sent - agent.model.spent()
        idle = resident(session)
        return {
            "first_line": (first - session.began) * 1e3,
            "result": (end - session.began) * 1e3,
            "second": own * 1e3,
            "idle": idle,
            "peak": session.memory("VmHWM") / MIB,
        }


def tools(agent):
    with agent.session("--allowedTools", "Bash") as session:
        session.turn("bench-short warm")
        sent, _, end, lines, result = session.turn("bench-tools go")
        if result["num_turns"] != 101:
            raise RuntimeError(f"{result['num_turns']} rounds instead of 101")
        return {"tools": (end - sent) * 1e3}


def deltas(agent):
    with agent.session("--include-partial-messages") as session:
        _, _, end, lines, _ = session.turn("bench-deltas go")
        if lines < 20_000:
            raise RuntimeError(f"only {lines} lines for 20,000 deltas")
        return {
            "deltas": (end - session.began) * 1e3,
            "deltas_idle": resident(session),
            "deltas_peak": session.memory("VmHWM") / MIB,
        }


def mcp(agent):
    """Measures the start and memory of the MCP server."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    with Session(agent, [], command=["mcp", "serve"]) as server:
        server.process.stdin.write(json.dumps(requests[0]).encode() + b"\n")
        server.process.stdin.flush()
        server.process.stdout.readline()
        answered = time.monotonic()
        server.process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in requests[1:]))
        server.process.stdin.flush()
        if b'"tools"' not in server.process.stdout.readline():
            raise RuntimeError("no tools")
        return {"mcp": (answered - server.began) * 1e3, "mcp_idle": resident(server)}


def version(agent):
    return {"version": statistics.median(agent.version()[0] for _ in range(10))}


def measure(agents, rounds):
    """Returns {agent: {row: [values]}}. The agents alternate, so that other load on the machine affects them equally."""
    values = {agent.name: {} for agent in agents}
    for number in range(-1, rounds):  # the first round is a warm-up
        for part in (version, turns, tools, deltas, mcp, reach.starts, reach.past, reach.crew):
            for agent in agents if number % 2 else reversed(agents):
                try:
                    found = part(agent)
                except (RuntimeError, OSError, subprocess.SubprocessError, ValueError) as error:
                    print(f"bench: {agent.name}: {part.__name__}: {error}", file=sys.stderr)
                    continue
                if number >= 0:
                    for row, value in found.items():
                        values[agent.name].setdefault(row, []).append(value)
        print(f"bench: {'warm-up' if number < 0 else f'round {number + 1} of {rounds}'} done", file=sys.stderr)
    for agent in agents:
        values[agent.name]["binary"] = [Path(agent.path).resolve().stat().st_size / MIB]
    return values


def reference(cache):
    """Returns the path of the reference CLI, installed with npm below the target folder; None if that fails."""
    folder = cache / f"claude-code-{REFERENCE}"
    binary = folder / "node_modules" / ".bin" / "claude"
    if not binary.exists():
        if not shutil.which("npm"):
            print("bench: npm not found; measuring sluice alone", file=sys.stderr)
            return None
        print(f"bench: installing {PACKAGE}@{REFERENCE}", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, f"{PACKAGE}@{REFERENCE}"], capture_output=True, text=True)
        if done.returncode or not binary.exists():
            print(f"bench: the installation failed; measuring sluice alone\n{done.stderr[-500:]}", file=sys.stderr)
            return None
    return binary


def number(value, unit):
    if value is None:
        return "–"
    return f"{value:.1f} {unit}" if value < 100 else f"{value:,.0f} {unit}"


def table(agents, values):
    names = [agent.name for agent in agents]
    medians = {name: {row: statistics.median(found) for row, found in values[name].items()} for name in names}
    lines = ["| | " + " | ".join(names) + (" | ratio |" if len(names) == 2 else " |"), "|---|" + "---:|" * (len(names) + (len(names) == 2))]
    for row, unit, label in ROWS:
        cells = [medians[name].get(row) for name in names]
        line = f"| {label} | " + " | ".join(number(cell, unit) for cell in cells) + " |"
        if len(names) == 2:
            line += f" {cells[1] / cells[0]:.1f} × |" if all(cells) else " – |"
        lines.append(line)
    return lines, medians


def check_limits(medians):
    """Returns (text, whether the limit is met) for every limit."""
    ours, theirs = medians["sluice"], medians.get("claude", {})
    checks = []
    for row, unit, label in ROWS:
        if row in LIMITS:
            value = ours.get(row)
            checks.append((f"{label}: {number(value, unit)}, at most {LIMITS[row]} {unit}", value is not None and value <= LIMITS[row]))
    if "deltas" in theirs:
        ratio = theirs["deltas"] / ours["deltas"] if ours.get("deltas") else 0
        checks.append((f"20,000 deltas: {ratio:.1f} × the reference, at least {DELTAS_TIMES_FASTER} ×", ratio >= DELTAS_TIMES_FASTER))
    return checks


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), platform.machine())
    nothing = statistics.median(timed(["true"])[0] for _ in range(20))
    return f"{os.cpu_count()} cores ({cpu}), {platform.system()} {platform.release()}, where `true` takes {nothing:.1f} ms"


def as_installed(program):
    """Drops a program from the page cache. A program that was just written is cached in larger pages than one that was read,
    starts differently and maps up to 2 MiB more. After dropping it, it is read like an installed one."""
    with open(program, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-reference", action="store_true", help="measure sluice alone")
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    args = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
    ours = Path(os.environ.get("SLUICE_BIN", target / "release" / "sluice"))
    if not ours.exists():
        sys.exit("bench: binary not found; run make release, or set SLUICE_BIN")
    theirs = None if args.no_reference else reference(target / "bench")
    with tempfile.TemporaryDirectory(prefix="sluice-bench-", ignore_cleanup_errors=True) as root, Model() as model:
        agents = [Agent("sluice", ours.resolve(), Path(root), model)]
        if theirs:
            agents.append(Agent("claude", theirs.resolve(), Path(root), model))
        for program in filter(None, (ours, theirs)):
            as_installed(program.resolve())
        versions = [f"{agent.name} `{agent.version()[1]}`" for agent in agents]
        values = measure(agents, args.rounds)
    lines, medians = table(agents, values)
    checks = check_limits(medians)
    report = [
        "# Measured",
        "",
        f"{time.strftime('%Y-%m-%d')}, {machine()}; {', '.join(versions)}.",
        f"Medians over {args.rounds} alternating rounds; the model is a scripted server on the same machine. Written by `make bench`.",
        "",
        *lines,
        "",
        "Limits:",
        "",
        *(f"- {'met' if good else '**not met**'}: {text}" for text, good in checks),
        "",
    ]
    print("\n".join(report[2:]))
    args.out.write_text("\n".join(report))
    failed = sum(not good for _, good in checks)
    print(f"{len(checks) - failed} limits met, {failed} not met")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
