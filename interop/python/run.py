"""Tests of the agent in $SLUICE_BIN with the official Python SDK and a scripted model.

Arguments select tests by name. The last line of output is 'N passed, N failed'.
"""

import asyncio
import contextlib
import importlib
import sys
import time
import traceback
from pathlib import Path

from lab import TESTS

SECONDS = 60


async def main(names):
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        importlib.import_module(file.stem)
    passed = failed = 0
    for function in TESTS:
        where = f"{function.__module__.removeprefix('test_')}.{function.__name__}"
        if names and not {function.__name__, where, function.__module__} & set(names):
            continue
        started = time.monotonic()
        try:
            async with asyncio.timeout(SECONDS) if hasattr(asyncio, "timeout") else contextlib.nullcontext():
                await function()
        except BaseException as error:  # noqa: B902: a cancelled test counts as failed
            failed += 1
            print(f"FAILED {where}")
            traceback.print_exception(error)
            if isinstance(error, KeyboardInterrupt):
                break
        else:
            passed += 1
            print(f"ok     {where} ({time.monotonic() - started:.1f} s)", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
