"""Kill a journalled run with SIGKILL at random moments, and check after each death what its journal says.

Run as a script: ``python -m tests.accountants.killed PATH KILLS SEED DURABLE``; prints what was seen as JSON. Each run
is a forked child that says "a" on a pipe before each step and "r" when the step has returned; step number k has a noise
of its own, so a step lost, doubled or out of place shows in the history.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import neyman as ny


def noise(k: int) -> float:
    return 1.0 + (k % 3)


def run(path: Path, pipe: int, durable: bool, seed: int) -> None:
    """Step until killed, compacting now and then."""
    rng = random.Random(seed)
    accountant = ny.Accountant.journalled(path, durable=durable)
    while True:
        os.write(pipe, b"a")
        accountant.step(noise_multiplier=noise(len(accountant)), sample_rate=0.01)
        os.write(pipe, b"r")
        if rng.random() < 0.05:
            accountant.compact()


def kill_once(path: Path, durable: bool, rng: random.Random) -> tuple[int, int]:
    """Fork, wait, kill; return how many steps were attempted and how many returned."""
    reader, writer = os.pipe()
    seed = rng.randrange(10**9)
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            run(path, writer, durable, seed)
        finally:
            os._exit(3)  # only reached if something went wrong
    os.close(writer)
    time.sleep(rng.random() ** 2 * 0.08)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError("the run ended before it was killed")
    with os.fdopen(reader, "rb") as said:
        words = said.read()
    return words.count(b"a"), words.count(b"r")


def main(path: Path, kills: int, seed: int, durable: bool) -> None:
    rng = random.Random(seed)
    before = torn = 0
    ny.Accountant().step(noise_multiplier=1.0, sample_rate=0.01)  # so that the children need not import
    for kill in range(kills):
        attempted, returned = kill_once(path, durable, rng)
        if not path.exists() and attempted == 0:
            continue  # killed before it began
        with ny.Accountant.journalled(path) as accountant:
            torn += accountant.dropped > 0
            after = len(accountant)
            noises = [m.of.sigma for m, n in accountant.history for _ in range(n)]  # type: ignore[attr-defined]
        if not before + returned <= after <= before + attempted:
            raise RuntimeError(f"kill {kill}: {before} steps, then {attempted} tried, {returned} returned: {after}")
        if noises != [noise(k) for k in range(after)]:
            raise RuntimeError(f"kill {kill}: the history is not what was run")
        before = after
    print(json.dumps({"kills": kills, "steps": before, "torn": torn}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "durable")
