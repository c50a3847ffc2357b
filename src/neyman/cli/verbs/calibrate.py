"""``neyman calibrate``: the least noise, the most steps or the largest rate that keeps a risk that is accepted."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.output import console, print_json
from neyman.cli.verbs.respond import Adjacency, AsJson, Effort, completing
from neyman.cli.verbs.schedule import BatchSize, DatasetSize, Epochs, SampleRate, Steps, schedule_given
from neyman.quantities.places import in_place

if TYPE_CHECKING:
    from neyman.calibration import Calibration
    from neyman.calibration.target import Target

__all__ = ["calibrate"]

TARGET_KINDS = (
    "epsilon=", "mu=", "regret=", "advantage=", "tpr=", "reconstruction=", "bayes-error=", "posterior=", "divergence=",
)  # fmt: skip
_ONE = "exactly two of --noise-multiplier, the sample rate and the steps: the third is found"


def calibrate(
    spec: Annotated[
        str | None,
        typer.Argument(
            metavar="SPEC",
            help='In place of DP-SGD: a file as for neyman account, or gaussian:?, one number written "?".',
        ),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TARGET",
            autocompletion=completing(TARGET_KINDS),
            help="What must hold: epsilon=8,delta=1e-5; mu=1; regret=0.01; advantage=0.1; tpr=0.5,fpr=0.01; "
            "reconstruction=0.5,baseline=0.1; bayes-error=0.4,prior=0.5; posterior=0.9,membership-prior=0.5,fpr=0.01; "
            "divergence=0.05,baseline=SPEC. Repeatable.",
        ),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="In place of --target: epsilon at --delta; without that at 1/dataset-size, if it is given."),
    ] = None,
    delta: Annotated[float | None, typer.Option(help="The delta of --epsilon.")] = None,
    mu: Annotated[float | None, typer.Option(help="In place of --target: mu.")] = None,
    noise_multiplier: Annotated[
        float | None,
        typer.Option(help="Noise standard deviation over clipping norm, where it is not asked for."),
    ] = None,
    sample_rate: SampleRate = None,
    steps: Steps = None,
    dataset_size: DatasetSize = None,
    batch_size: BatchSize = None,
    epochs: Epochs = None,
    bracket: Annotated[str | None, typer.Option(metavar="LOW,HIGH", help="With a file: where to search.")] = None,
    adjacency: Adjacency = "add_or_remove",
    tolerance: Annotated[
        float, typer.Option(help="Relative distance allowed to what certainly misses the target.")
    ] = 1e-6,
    effort: Effort = 10.0,
    as_json: AsJson = False,
) -> None:
    """The least noise, or most steps, that keeps an accepted risk.

    Of noise multiplier, sample rate and steps say two: the third is found. Or give a file or a short form as for neyman
    account in which one number is written "?". The answer provably keeps every target; the value shown next to it
    provably does not.
    """
    so_far = _so_far(target or [], {"epsilon": epsilon, "delta": delta, "mu": mu})
    schedule = schedule_given(
        so_far, {"noise_multiplier": noise_multiplier}, sample_rate=sample_rate, steps=steps,
        dataset_size=dataset_size, batch_size=batch_size, epochs=epochs,
    )  # fmt: skip
    rate = schedule.rate.value if schedule.says_rate else None
    times = schedule.steps if schedule.says_steps else None
    known = {"noise_multiplier": noise_multiplier, "sample_rate": rate, "steps": times}
    given = [name for name, value in known.items() if value is not None]
    if spec is not None and given:
        raise InvalidParameter(given[0], known[given[0]], "left out where a file is given")
    if target:
        from neyman.cli.reading.target_text import check_targets

        check_targets(target)
    if spec is None and epsilon is not None and delta is None and schedule.dataset_size is None:
        line = shlex.join(["neyman", *_completed(f"{so_far} --delta 1e-5", known)])
        raise InvalidParameter("--delta", None, "given beside --epsilon, or --dataset-size", f"Write: {line}")
    if spec is None and len(given) != 2:
        line = shlex.join(["neyman", *_completed(so_far, known)])
        raise InvalidParameter("given", " and ".join(given) or None, _ONE, f"Write: {line}")
    if spec is None and bracket is not None:
        raise InvalidParameter("bracket", bracket, "given with a file: of DP-SGD it is not needed")
    from neyman.cli.printing.calibrated import Calibrated, show

    limits = {"tolerance": tolerance, "effort": effort}
    words = {"epsilon": epsilon, "delta": delta, "mu": mu}
    asked = _asked(target or [], words, schedule.dataset_size, (adjacency, min(tolerance, 1e-6), effort))
    if spec is None:
        name = next(name for name in known if name not in given)
        kept: dict[str, Any] = {"dataset_size": schedule.dataset_size, "adjacency": adjacency, **limits}
        found = _dpsgd(asked, noise_multiplier, rate, times, kept)
    else:
        name, found = _in_file(spec, asked, bracket, adjacency, limits)
    answer = Calibrated.of(name, found, adjacency)
    if as_json:
        print_json(answer.to_json())
        return
    show(answer, console())


def _completed(so_far: str, known: dict[str, Any]) -> list[str]:
    """The verb with two of the three: what was typed of them, and examples."""
    told = {name: value for name, value in known.items() if value is not None}
    if len(told) == 3:
        del told["noise_multiplier"]
    for name, example in (("sample_rate", 0.01), ("steps", 1000)):
        if len(told) < 2:
            told.setdefault(name, example)
    options = [word for name, value in told.items() for word in (f"--{name.replace('_', '-')}", in_place(name, value))]
    target = [] if "--" in so_far else ["--epsilon", "8", "--delta", "1e-5"]
    return [*shlex.split(so_far), *target, *options]


def _so_far(targets: list[str], words: dict[str, float | None]) -> str:
    """The verb with the targets that were typed, for the line that would work."""
    said = [f"--target {shlex.quote(text)}" for text in targets]
    said += [f"--{name} {value:g}" for name, value in words.items() if value is not None]
    return " ".join(["calibrate", *said])


def _asked(
    texts: list[str], words: dict[str, float | None], size: int | None, settings: tuple[str, float, float]
) -> Target:
    """The targets, in either way of saying them."""
    from neyman.calibration.target import All
    from neyman.calibration.target_words import Wanted
    from neyman.cli.reading.target_text import read_targets

    if all(value is None for value in words.values()):
        return read_targets(texts, *settings)
    said = Wanted(**words).target("ny.calibrate", {}, None, size)
    return All(said, read_targets(texts, *settings)) if texts else said


def _dpsgd(
    target: Target, noise: float | None, rate: float | None, times: int | None, kept: dict[str, Any]
) -> Calibration:
    from neyman import noise_for_dpsgd, rate_for_dpsgd, steps_for_dpsgd

    if noise is None:
        return noise_for_dpsgd(target, rate, times, **kept)
    if rate is None:
        return rate_for_dpsgd(target, noise, times, **kept)
    return steps_for_dpsgd(target, noise, rate, **kept)


def _in_file(
    spec: str, target: Target, bracket: str | None, adjacency: str, limits: dict[str, float]
) -> tuple[str, Calibration]:
    from neyman import calibrate as search
    from neyman.cli.reading.free_spec import read_free_spec
    from neyman.understanding.number_text import number, whole_number

    name, make, whole = read_free_spec(spec)
    ends: list[float] | None = None
    if bracket is not None:
        try:
            ends = [whole_number(end) if whole else float(number(end)) for end in bracket.split(",")]
        except ValueError:
            raise InvalidParameter("bracket", bracket, "two numbers, LOW,HIGH") from None
    tolerance, effort = limits["tolerance"], limits["effort"]
    return name, search(make, target, ends, adjacency=adjacency, integer=whole, tolerance=tolerance, effort=effort)
