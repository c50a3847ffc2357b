"""What the help of every verb ends with: commands to copy, and the codes it leaves with."""

from __future__ import annotations

from textwrap import indent

from neyman.cli.exits import meanings_of
from neyman.cli.printing.pictures import listed

__all__ = ["EXAMPLES", "ROOT_EXAMPLES", "epilog_of"]

ROOT_EXAMPLES = (
    "neyman dpsgd --noise-multiplier 9.4 --sample-rate 0.32768 --steps 2000",
    "neyman account examples/census_topdown.json",
    "neyman compare dpsgd:1,0.01,1000 dpsgd:2,0.01,1000",
)
EXAMPLES: dict[str, tuple[str, ...]] = {
    "dpsgd": (
        "neyman dpsgd --noise-multiplier 9.4 --sample-rate 0.32768 --steps 2000",
        "neyman dpsgd --noise-multiplier 1 --dataset-size 60000 --batch-size 256 --epochs 3",
        "neyman dpsgd --noise-multiplier 1 --sample-rate 0.01 --steps 1000 --delta 1e-7 --json",
    ),
    "account": (
        "neyman account examples/census_topdown.json",
        "neyman account examples/mixed_pipeline.yaml --delta 1e-6 --floor 1e-6",
        """echo '{"schema": 1, "kind": "pure_mechanism", "epsilon": 0.5}' | neyman account - --json""",
    ),
    "convert": (
        "neyman convert --epsilon 8 --delta 1e-5 --to mu",
        "neyman convert --rho 0.5 --to epsilon --delta 1e-6",
        "neyman convert --spec examples/census_topdown.json --to renyi --at 2 --at 8",
    ),
    "compare": (
        "neyman compare dpsgd:1,0.01,1000 dpsgd:2,0.01,1000",
        "neyman compare examples/dpsgd_noise_schedule.json dpsgd:2,0.01,1000 --prior 0.1 --prior jeffreys",
    ),
    "calibrate": (
        "neyman calibrate --target epsilon=8,delta=1e-5 --sample-rate 0.01 --steps 10000",
        "neyman calibrate --target tpr=0.5,fpr=0.01 --target mu=1 --noise-multiplier 2 --sample-rate 0.01",
        """echo '{"schema": 1, "kind": "pure_mechanism", "epsilon": "?"}' | neyman calibrate - --target mu=1""",
    ),
    "sweep": (
        "neyman sweep examples/sweep.yaml -o sweep.nc",
        "neyman sweep examples/sweep.yaml -o sweep.csv",
        "neyman sweep examples/sweep.yaml -o - --workers 1 > sweep.nc",
    ),
    "table": (
        "neyman table examples/runs.csv",
        "neyman table examples/runs.csv --baseline 'tuned 1' --format tex",
        "neyman table examples/runs.csv --baseline dpsgd:40,0.33,900 -o runs.md",
    ),
    "census": (
        "neyman census",
        "neyman census redistricting-2021 --delta 1e-10 -o census.md",
        "neyman census dhc-2023 --level State --spec | neyman account -",
    ),
    "risk": (
        "neyman risk dpsgd:9.4,0.32768,2000",
        "neyman risk mu:1 epsilon:1,1e-5 --only tpr --fpr 0.001 --fpr 0.1",
        "neyman risk examples/census_topdown.json --membership-prior 0.01 --fpr 0.001 --json",
    ),
    "plot": (
        "neyman plot roc dpsgd:9.4,0.32768,2000 epsilon:7.43,1e-5 -o roc.png",
        "neyman plot bayes-error dpsgd:1,0.01,1000 dpsgd:2,0.01,1000 --label one --label other -o errors.pdf",
        "neyman plot profile mu:1 --format csv -o -",
    ),
    "explore": (
        "neyman explore",
        "neyman explore dpsgd:1,0.01,1000 dpsgd:2,0.01,4000",
        "neyman explore dpsgd:1.1,0.01,1000 -o page.html",
        "neyman explore mu:1 --audit examples/scores.csv",
    ),
    "report": (
        "neyman report dpsgd:9.4,0.32768,2000",
        "neyman report examples/census_topdown.json -o census.json --unit person --title 'Census release'",
        "neyman report dpsgd:1,0.01,1000 -o - --format md",
    ),
    "audit": (
        "neyman audit examples/scores.csv --claim mu:1 -o audit.svg",
        "neyman audit examples/scores.csv --claim dpsgd:1,0.5,4 --confidence 0.99",
        "neyman audit examples/scores.csv --method split --delta 1e-5 --delta 1e-7 --json",
    ),
    "prove": (
        "neyman report dpsgd:9.4,0.32768,2000 --json | neyman prove -",
        "neyman prove run.json -o run.proof.json && neyman-check run.proof.json",
    ),
    "verify": (
        "neyman report dpsgd:1,0.01,1000 --json | neyman verify -",
        "neyman report dpsgd:1,0.01,1000 -o run.json && neyman verify run.json --verbose",
        "neyman verify reports/*.html --json",
    ),
    "diff": (
        "neyman diff dpsgd:1,0.01,1000 dpsgd:2,0.01,1000",
        "neyman diff last-year.html this-year.html --json",
    ),
    "help": (
        "neyman help",
        "neyman help not-certified",
        "neyman help batch-size --json",
    ),
    "reproduce": (
        "neyman reproduce all -o papers",
        "neyman reproduce introduction -o papers --workers 1 --json",
    ),
}


def epilog_of(verb: str) -> str:
    """Return the end of a verb's help; each block begins with the sign that keeps its lines apart."""
    codes = "\n".join(f"  {code}  {meaning}" for code, meaning in meanings_of(verb).items())
    blocks = [f"\b\nExit codes:\n{codes}\n(70 no answer, 130 interrupted, 141 the output was closed early)"]
    if verb == "plot":
        blocks.insert(0, "\b\nKinds, and how many SPECs they take:\n" + indent(listed(), "  "))
    if verb in EXAMPLES:
        blocks.insert(0, "\b\nExamples:\n" + "\n".join(f"  {line}" for line in EXAMPLES[verb]))
    return "\n\n".join(blocks)
