"""Measures sessions with a long transcript, a project folder with many definitions, and many subagents.

Parts of `bench.py`: each function takes an agent and returns its rows. Uses only the standard library; needs Linux.
"""

import json
import statistics
import time
import uuid
from pathlib import Path

import resume

COMMANDS, SKILLS, AGENTS, MEMBERS = 50, 50, 20, 20
MIB = 1024 * 1024
# A start is short, so the median of several is used.
STARTS = 15


def write_definitions(folder):
    """Writes commands, skills and agents of realistic size, each with a page of text."""
    page = "Look at the change closely, say what it does and what it might break, and be brief about it.\n" * 60
    for number in range(COMMANDS):
        put(folder / "commands" / f"command-{number}.md", f"---\ndescription: Looks at part {number} of the project\nargument-hint: [part]\nallowed-tools: Bash(git diff:*), Read\n---\n{page}")
    for number in range(SKILLS):
        put(folder / "skills" / f"skill-{number}" / "SKILL.md", f"---\nname: skill-{number}\ndescription: Knows how part {number} is done. Use it whenever part {number} is at hand.\n---\n{page}")
    for number in range(AGENTS):
        put(folder / "agents" / f"agent-{number}.md", f"---\nname: agent-{number}\ndescription: Does part {number}\ntools: Read, Grep, Glob\nmodel: inherit\n---\n{page}")


def put(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def initialized(agent, cwd):
    """Returns the milliseconds from the start of the process to the response to `initialize`, and the response."""
    with agent.session(cwd=cwd) as session:
        request = {"type": "control_request", "request_id": "r", "request": {"subtype": "initialize", "hooks": None}}
        session.process.stdin.write(json.dumps(request).encode() + b"\n")
        session.process.stdin.flush()
        while line := session.process.stdout.readline():
            if b'"control_response"' in line:
                took = (time.monotonic() - session.began) * 1e3
                return took, json.loads(line)["response"]["response"]
    raise RuntimeError("initialize was not answered")


def first_line(agent, cwd):
    with agent.session(cwd=cwd) as session:
        _, first, _, _, _ = session.turn("bench-short start")
        return (first - session.began) * 1e3


def starts(agent):
    """Measures starts in an empty folder and in one with many definitions, alternating."""
    full = agent.cwd.parent / "full"
    if not full.exists():
        write_definitions(full / ".claude")
    times = {"initialize": [], "full_initialize": [], "empty": [], "full": []}
    for _ in range(STARTS):
        times["initialize"].append(initialized(agent, agent.cwd)[0])
        took, answer = initialized(agent, full)
        times["full_initialize"].append(took)
        times["empty"].append(first_line(agent, agent.cwd))
        times["full"].append(first_line(agent, full))
    names = {command["name"] for command in answer["commands"]}
    if not {f"command-{COMMANDS - 1}", f"skill-{SKILLS - 1}"} <= names:
        raise RuntimeError("the commands and skills were not found")
    middle = {name: statistics.median(found) for name, found in times.items()}
    more = max(middle["full"] - middle["empty"], middle["full_initialize"] - middle["initialize"])
    return {"initialize": middle["initialize"], "catalogue": more}


def crew(agent):
    """Measures the resident memory while background subagents wait for the model."""
    with agent.session("--dangerously-skip-permissions" if agent.name != "sluice" else "--allowedTools=Agent") as session:
        agent.model.ask("/members")
        session.turn("bench-crew go")
        there, until = 0, time.monotonic() + 3
        while there < MEMBERS and time.monotonic() < until:
            time.sleep(0.05)
            there += agent.model.ask("/members")["members"]
        if there < MEMBERS:
            raise RuntimeError(f"only {there} of {MEMBERS} subagents have sent requests")
        return {"crew": session.memory("VmRSS") / MIB}


def past(agent):
    """Resumes a transcript of 100 MiB, most of it compacted: the time to the first line, and the memory beyond that of a new
    session, relative to the live part of the transcript."""
    session = str(uuid.uuid4())
    file = agent.home / ".claude/projects" / resume.folder_of(agent.cwd) / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        _, live = resume.make(file, session, str(agent.cwd), 100 * MIB, 2 * MIB)
        fresh = [resume.resume(agent.path, [], agent.cwd, agent.env) for _ in range(3)]
        again = [resume.resume(agent.path, ["--resume", session], agent.cwd, agent.env) for _ in range(3)]
    finally:
        file.unlink(missing_ok=True)
    took = statistics.median(ms for ms, _ in again)
    more = statistics.median(most for _, most in again) - statistics.median(most for _, most in fresh)
    return {"resume": took, "resume_memory": more / live}
