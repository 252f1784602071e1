"""Whole sessions of the program: a scripted model calls Bash in a folder made for it. Afterwards the folder, and what lies
around it, are compared with what they were before."""
import json
import os
import pwd
import shutil
import signal
import stat
import subprocess
import tempfile

# What files outside of the folder and files of deny rules contain, and what a denied or planted program prints.
OUTSIDE, DENIED, RAN = "OUTSIDE-SECRET", "DENIED-SECRET", "42RAN"
TRAP = "#!/bin/sh\nn=42; echo \"${{n}}RAN\"; echo \"${{n}}RAN\" >> '{at}/trace'; cat\n"
PROTECTED = (".git", ".claude", ".mcp.json", ".bashrc", ".ssh", ".vscode", ".gitmodules", ".gitconfig")


class World:
    """A home, a folder to work in, a folder beside it, and a program that leaves a trace."""

    def __init__(self):
        self.at = tempfile.mkdtemp(prefix="oracle.", dir="/var/tmp")
        os.chmod(self.at, 0o755)
        for name in ("home/bin", "work", "outside/deep"):
            os.makedirs(f"{self.at}/{name}")
        self.work, self.trap = f"{self.at}/work", f"{self.at}/home/trap"
        self.put("../outside/key", OUTSIDE + "\n")
        self.put("../outside/deep/key", OUTSIDE + "\n")
        for program in ("home/trap", "home/bin/zap"):
            self.put(f"../{program}", TRAP.format(at=self.at), 0o755)

    def put(self, name, text, mode=0o644):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)

    def link(self, name, to):
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.lexists(path):
            os.symlink(to, path)

    def git(self, folder, *words, check=False, text=None):
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always", *words],
                              cwd=os.path.join(self.work, folder), env=env, capture_output=True, input=text, check=check)

    def repository(self, folder=".", *options):
        self.put(f"{folder}/file", "one\n")
        self.git(folder, "init", "-q", "-b", "main", *options, ".")
        self.git(folder, "add", ".")
        self.git(folder, "commit", "-qm", "one")

    def drop(self):
        shutil.rmtree(self.at, ignore_errors=True)


def state(folder, kept, details=0):
    """Everything below a folder: kinds, contents, links; with `details` 1 owners and attributes, with 2 modes and times."""
    seen = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            short = os.path.relpath(path, folder)
            if not kept(short):
                continue
            about = os.lstat(path)
            what = [stat.S_IFMT(about.st_mode)]
            if stat.S_ISLNK(about.st_mode):
                what.append(os.readlink(path))
            elif stat.S_ISREG(about.st_mode):
                with open(path, "rb") as file:
                    what.append(file.read())
            if details:
                what += [about.st_uid, about.st_gid, *([] if stat.S_ISLNK(about.st_mode) else os.listxattr(path))]
            if details > 1:
                what += [about.st_mode, about.st_mtime_ns, about.st_nlink]
            seen[short] = what
    return seen


def difference(before, after):
    changed = [name for name in sorted(set(before) | set(after)) if before.get(name) != after.get(name)]
    return changed[0] if changed else None


def play(binary, world, lines, flags=(), settings=None, user=None):
    """What each line came to: whether it was refused, and its result."""
    if os.path.exists(f"{world.at}/trace"):
        os.unlink(f"{world.at}/trace")
    calls = [[{"type": "tool_use", "id": f"toolu_{at}", "name": "Bash", "input": {"command": line, "timeout": 4000}}]
             for at, line in enumerate(lines)]
    script = f"{world.at}/script.json"
    with open(script, "w", encoding="utf-8") as file:
        json.dump({"replies": [*calls, [{"type": "text", "text": "done"}]]}, file)
    model = subprocess.Popen([binary, "sim", "model", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        address = model.stdout.readline().strip()
        env = {"PATH": f"{world.at}/home/bin:{os.environ['PATH']}", "HOME": f"{world.at}/home", "ANTHROPIC_BASE_URL": address,
               "ANTHROPIC_API_KEY": "sk-test", "IS_SANDBOX": "1"}
        more = ["--settings", json.dumps(settings)] if settings else []
        words = [binary, "-p", "--output-format", "stream-json", "--verbose", *flags, *more, "hi"]
        if user:
            subprocess.run(["chown", "-R", f"{user}:", world.at], check=True)
            about = pwd.getpwnam(user)
            words = ["setpriv", "--reuid", str(about.pw_uid), "--regid", str(about.pw_gid), "--clear-groups", *words]
        process = subprocess.Popen(words, cwd=world.work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        try:
            out, err = process.communicate(timeout=60 + 20 * len(lines))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None
    finally:
        model.kill()
        model.wait()
    refused, results = set(), {}
    for line in out.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        for denial in message.get("permission_denials") or []:
            refused.add(denial["tool_use_id"])
        content = message.get("message", {}).get("content") if message.get("type") == "user" else None
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "tool_result":
                results[block["tool_use_id"]] = block["content"] if isinstance(block["content"], str) else json.dumps(block["content"])
    if len(results) != len(lines):
        raise RuntimeError(f"{len(results)} of {len(lines)} results: {err[-500:]} {out[-500:]}")
    return [(f"toolu_{at}" in refused, results[f"toolu_{at}"]) for at in range(len(lines))]
