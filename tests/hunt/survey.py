"""The survey: what a user meets who asks the usual questions of 420 random settings.

    python -m tests.hunt.survey                      # 420 settings, seed 0, a summary
    python -m tests.hunt.survey --settings 40 --seed 7 --verbose
    python -m tests.hunt.survey --one "DPSGD(0.05, 0.001, 50)"

Half the settings are DP-SGD with a noise multiplier in 1e-3..1e12, a rate in 1e-12..1 and 1..1e9 steps, all
log-uniform; a quarter is the same about usual values; a quarter is other laws, sampled or not, powers and products.
Each is asked for epsilon(1e-5), delta at three epsilons, advantage, mu, gdp, beta and the optimistic twins of the
first few, in a process of its own with a limit of processor time and of memory. Counted are settings, not questions:
refused (NotCertified or InvalidParameter), slow (over 2 s, over 10 s of processor time, without the import), warned,
crashed (any other exception, MemoryError among them), hung (the time limit). One line is printed for each that is
anything but quick and answered.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection

SETTINGS = 420
SECONDS = 60.0  # of processor time, for one setting: a busy machine is no reason to call it hung
_WAITING = 20.0  # times as much wall time, for one that sleeps
MEMORY = 4_000_000_000  # bytes of address space
SLOW, VERY_SLOW = 2.0, 10.0  # seconds of processor time
LARGE = 1_000_000_000  # bytes resident, import included


def drawn(seed: int, count: int) -> list[str]:
    """``count`` settings, each an expression over the names of ``neyman``."""
    source = random.Random(seed)
    kinds = [_extreme, _extreme, _usual, _other]
    return [kinds[i % len(kinds)](source) for i in range(count)]


def _log_uniform(source: random.Random, low: float, high: float) -> float:
    return float(f"{math.exp(source.uniform(math.log(low), math.log(high))):.4g}")


def _extreme(source: random.Random) -> str:
    sigma, rate = _log_uniform(source, 1e-3, 1e12), _log_uniform(source, 1e-12, 1.0)
    return f"DPSGD({sigma!r}, {rate!r}, {round(_log_uniform(source, 1.0, 1e9))})"


def _usual(source: random.Random) -> str:
    sigma, rate = _log_uniform(source, 0.2, 100.0), _log_uniform(source, 1e-6, 1.0)
    return f"DPSGD({sigma!r}, {rate!r}, {round(_log_uniform(source, 1.0, 1e7))})"


def _basic(source: random.Random) -> str:
    return source.choice([
        lambda: f"Gaussian({_log_uniform(source, 0.01, 1e6)!r})",
        lambda: f"Laplace({_log_uniform(source, 0.03, 1e3)!r})",
        lambda: f"DiscreteLaplace({_log_uniform(source, 0.05, 20.0)!r}, {source.randint(1, 3)})",
        lambda: f"DiscreteGaussian({_log_uniform(source, 0.5, 200.0)!r})",
        lambda: f"RandomizedResponse({_log_uniform(source, 0.01, 8.0)!r}, {source.randint(2, 6)})",
        lambda: f"PureMechanism({_log_uniform(source, 0.01, 8.0)!r})",
        lambda: f"ApproximateMechanism({_log_uniform(source, 0.01, 4.0)!r}, {_log_uniform(source, 1e-12, 1e-3)!r})",
    ])()  # fmt: skip


def _other(source: random.Random) -> str:
    def one() -> str:
        base = _basic(source)
        if source.random() < 0.5:
            base += f".poisson({_log_uniform(source, 1e-6, 0.9)!r})"
        return f"{base} ** {round(_log_uniform(source, 1.0, 1e4))}"

    return one() if source.random() < 0.6 else f"{one()} * {one()}"


def questions(guarantee: object) -> list[tuple[str, Callable[[], object]]]:
    """What is asked of every setting."""
    g = guarantee
    return [
        ("epsilon(1e-5)", lambda: g.epsilon(1e-5)),  # type: ignore[attr-defined]
        ("optimistic.epsilon(1e-5)", lambda: g.optimistic.epsilon(1e-5)),  # type: ignore[attr-defined]
        *((f"delta({e})", lambda e=e: g.delta(e)) for e in (0.1, 1.0, 8.0)),  # type: ignore[attr-defined]
        ("advantage", lambda: g.advantage),  # type: ignore[attr-defined]
        ("mu()", lambda: g.mu()),  # type: ignore[attr-defined]
        ("gdp()", lambda: g.gdp()),  # type: ignore[attr-defined]
        ("beta(0.01)", lambda: g.beta(0.01)),  # type: ignore[attr-defined]
    ]


def ask(setting: str) -> dict[str, object]:
    """Ask one setting everything, here; what happened."""
    import neyman as ny

    names = {name: getattr(ny, name) for name in ny.__all__}
    events: list[tuple[str, str, str]] = []
    begun = time.process_time()

    def tried(name: str, question: Callable[[], object]) -> object:
        before = time.process_time()
        try:
            return question()
        except (ny.NotCertified, ny.InvalidParameter) as error:
            events.append(("refused", name, f"{type(error).__name__}: {error}"[:160]))
        except Exception as error:
            events.append(("crashed", name, f"{type(error).__name__}: {error}"[:160]))
        finally:
            spent = time.process_time() - before
            if spent > 1.0:
                events.append(("time", name, f"{spent:.1f} s"))
        return None

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        guarantee = tried("account", lambda: ny.account(eval(setting, names)))  # our own expressions
        for name, question in questions(guarantee) if guarantee is not None else ():
            tried(name, question)
    events.extend(
        ("warned", f"{one.filename.rsplit('neyman/', 1)[-1]}:{one.lineno}", str(one.message)) for one in caught
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": time.process_time() - begun, "peak": peak, "events": events}


def surveyed(setting: str, seconds: float = SECONDS) -> dict[str, object]:
    """The same in a process with limits."""
    context = multiprocessing.get_context("fork")  # the import is not paid for each time
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_limited, args=(setting, seconds, sender))
    child.start()
    sender.close()
    if not receiver.poll(_WAITING * seconds):
        child.kill()
    try:
        return receiver.recv()
    except EOFError:
        child.join()
        hung = child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
        kind, text = ("hung", f"over {seconds:g} s") if hung else ("crashed", f"exit code {child.exitcode}")
        return {"seconds": seconds if hung else 0.0, "peak": 0, "events": [(kind, "process", text)]}
    finally:
        child.join()


def _limited(setting: str, seconds: float, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds + time.process_time()),) * 2)
    sender.send(ask(setting))


def outcomes(found: dict[str, object]) -> set[str]:
    """The words that a setting is counted under."""
    seconds, peak, events = found["seconds"], found["peak"], found["events"]
    assert isinstance(seconds, float)
    assert isinstance(peak, int)
    assert isinstance(events, list)
    words = {kind for kind, _, _ in events if kind != "time"}
    words |= {"over 2 s"} if seconds > SLOW else set()
    words |= {"over 10 s"} if seconds > VERY_SLOW else set()
    return words | ({"over 1 GB"} if peak > LARGE else set())


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=int, default=SETTINGS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="processor time for one setting")
    parser.add_argument("--verbose", action="store_true", help="a line for every setting")
    parser.add_argument("--one", help="ask this setting here, without limits")
    parser.add_argument("--json", action="store_true", help="with --one: one line of JSON")
    options = parser.parse_args(arguments)
    if options.one is not None:
        found = ask(options.one)
        print(json.dumps(found) if options.json else _line(options.one, found))
        return 0
    os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    ask("Gaussian(1.0)")  # imports what no process has to import again

    counts: Counter[str] = Counter()
    for setting in drawn(options.seed, options.settings):
        found = surveyed(setting, options.seconds)
        words = outcomes(found)
        counts.update(words)
        if words or options.verbose:
            print(_line(setting, found), flush=True)
    print(f"{options.settings} settings, seed {options.seed}")
    for word in ("refused", "crashed", "hung", "warned", "over 2 s", "over 10 s", "over 1 GB"):
        print(f"  {word:10} {counts[word]:4}  {100.0 * counts[word] / options.settings:5.1f} %")
    return 0


def _line(setting: str, found: dict[str, object]) -> str:
    events = found["events"]
    assert isinstance(events, list)
    head = f"{setting}  {found['seconds']:.2f} s  {', '.join(sorted(outcomes(found))) or 'answered'}"
    return "\n".join([head, *(f"    {kind} {name}: {text}" for kind, name, text in events)])


if __name__ == "__main__":
    sys.exit(main())
