"""``neyman calibrate``: the least noise, the most steps or the largest rate that keeps a risk that is accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neyman._errors import InvalidParameter
from neyman.cli.printing.output import console, print_json
from neyman.cli.verbs.respond import Adjacency, AsJson, Effort, completing
from neyman.cli.verbs.schedule import BatchSize, DatasetSize, Epochs, SampleRate, Steps, rate_given, steps_given

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
            metavar="SPEC", help='In place of DP-SGD: a file as for neyman account, one number written "?".'
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

    Of noise multiplier, sample rate and steps say two: the third is found. Or give a file as for neyman account in
    which one number is written "?". The answer provably keeps every target; the value shown next to it provably
    does not.
    """
    rate = rate_given(sample_rate, dataset_size, batch_size)
    known = {"noise_multiplier": noise_multiplier, "sample_rate": rate, "steps": steps_given(steps, epochs, rate)}
    given = [name for name, value in known.items() if value is not None]
    if spec is not None and given:
        value = rate[0] if given[0] == "sample_rate" and rate else known[given[0]]
        raise InvalidParameter(given[0], value, "left out where a file is given")
    if spec is None and len(given) != 2:
        raise InvalidParameter("given", " and ".join(given) or None, _ONE)
    if spec is None and bracket is not None:
        raise InvalidParameter("bracket", bracket, "given with a file: of DP-SGD it is not needed")
    from neyman.cli.printing.calibrated import Calibrated, show
    from neyman.cli.reading.target_text import read_targets

    limits = {"tolerance": tolerance, "effort": effort}
    asked = read_targets(target or [], adjacency, min(tolerance, 1e-6), effort)
    if spec is None:
        name = next(name for name in known if name not in given)
        found = _dpsgd(asked, noise_multiplier, rate[0] if rate else None, known["steps"], adjacency, limits)
    else:
        name, found = _in_file(spec, asked, bracket, adjacency, limits)
    answer = Calibrated.of(name, found, adjacency)
    if as_json:
        print_json(answer.to_json())
        return
    show(answer, console())


def _dpsgd(
    target: Target, noise: float | None, rate: float | None, steps: object, adjacency: str, limits: dict[str, float]
) -> Calibration:
    from neyman import noise_for_dpsgd, rate_for_dpsgd, steps_for_dpsgd

    times = steps if isinstance(steps, int) else 0
    if noise is None:
        return noise_for_dpsgd(target, rate or 0.0, times, adjacency=adjacency, **limits)
    if rate is None:
        return rate_for_dpsgd(target, noise, times, adjacency=adjacency, **limits)
    return steps_for_dpsgd(target, noise, rate, adjacency=adjacency, **limits)


def _in_file(
    spec: str, target: Target, bracket: str | None, adjacency: str, limits: dict[str, float]
) -> tuple[str, Calibration]:
    from neyman import calibrate as search
    from neyman.cli.reading.free_spec import read_free_spec

    name, make, whole = read_free_spec(spec)
    ends: list[float] | None = None
    if bracket is not None:
        try:
            ends = [int(end) if whole else float(end) for end in bracket.split(",")]
        except ValueError:
            raise InvalidParameter("bracket", bracket, "two numbers, LOW,HIGH") from None
    return name, search(make, target, ends, adjacency=adjacency, integer=whole, **limits)
