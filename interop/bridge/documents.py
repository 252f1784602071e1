"""The two clients of docs/bridge.md, run as they are printed there."""

import os
import re
import subprocess
import sys
import tempfile

from stage import Stage

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")


def examples():
    with open(os.path.join(ROOT, "docs", "bridge.md")) as file:
        text = file.read()
    found = re.findall(r"<!-- run: (\w+) -->\n```\w+\n(.*?)```", text, re.S)
    assert [name for name, _ in found] == ["python", "node"], found
    return found


def main():
    failed = 0
    with Stage() as stage:
        env = dict(
            os.environ,
            BRIDGE=stage.url.replace("http", "ws", 1),
            TOKEN=stage.token("example", "approve"),
            FOLDER=stage.folder,
            PROMPT="write a file hello.txt",
        )
        for program, text in examples():
            ending = {"python": ".py", "node": ".mjs"}[program]
            # Beside the page's packages, so that `ws` is found.
            folder = os.path.join(ROOT, "web") if program == "node" else stage.root
            with tempfile.NamedTemporaryFile("w", suffix=ending, dir=folder) as file:
                file.write(text)
                file.flush()
                command = [sys.executable if program == "python" else "node", file.name]
                done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
            wrote = os.path.exists(os.path.join(stage.folder, "hello.txt"))
            if done.returncode == 0 and done.stdout.rstrip().endswith(("success", "completed")) and wrote:
                print(f"ok   the {program} client of docs/bridge.md")
                os.unlink(os.path.join(stage.folder, "hello.txt"))
            else:
                failed += 1
                print(f"FAIL the {program} client of docs/bridge.md: {done.stdout[-300:]} {done.stderr[-600:]}")
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
