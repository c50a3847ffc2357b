"""A hunter: settings drawn over the whole documented domain, judged by truths that share nothing with the package.

From the root of the repository:

    python -m tests.hunt --minutes 10 --seed 1

Reported, each with a line that reproduces it: numbers that are provably false, refusals, slow answers, warnings,
crashes, hangs.
"""
