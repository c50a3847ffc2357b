"""``reproduce``: every table and figure of a paper, and its printed numbers beside ours."""

from __future__ import annotations

import json
import os
import time
from contextlib import closing

from neyman._progress import progress_bar
from neyman._validate import whole
from neyman_papers.crew import cores, done_by
from neyman_papers.extras import check_packages
from neyman_papers.files import checked_directory, write_all
from neyman_papers.page import page
from neyman_papers.papers import asked_for
from neyman_papers.summary import Summary, collected
from neyman_papers.tasks import Done, files_of, tasks_of

__all__ = ["reproduce"]

_MOST_WORKERS = 1024  # processes that may be asked for


def reproduce(
    paper: str,
    directory: str | os.PathLike[str],
    progress: bool | None = None,
    workers: int | None = None,
) -> Summary:
    """Compute every table, figure and printed number of a paper, and write them below a directory.

    Parameters
    ----------
    paper : str
        "reporting" (Gomez et al., Gaussian DP for reporting), "divergence" (Kaissis et al., Beyond the calibration
        point), "sensitivity" (Kaissis et al., the sensitivity index), "introduction" (a passage on f-DP and a blog
        post), or "all".
    directory : path
        Made if it is not there. ``index.html`` is the page to open, ``summary.json`` the same for programs; each
        figure is an SVG, a PNG (200 dpi) and a CSV of its numbers, each table a CSV. Files of an earlier run are
        replaced, others left alone; nothing is written before everything is computed, and each file whole or not at
        all.
    progress : bool, optional
        Whether to show a bar on the standard error; only on a terminal if left out.
    workers : int, optional
        Processes, as many as there are cores (at most 8) if left out; 1 computes in this process. With more than one, a
        script must call ``reproduce`` below ``if __name__ == "__main__":``.

    Returns
    -------
    Summary
        Counts, and for each published number its verdict: "reproduced" (our whole certified bracket agrees with the
        printed digits), "differs" with the reason, or "undetermined", where the text does not say enough. A figure that
        fails is among its ``failures``; the others are written all the same.

    Raises
    ------
    InvalidParameter
        If there is no such paper, or nothing can be written to ``directory``.
    NeymanError
        If a package is missing, or a worker process ends early.

    Examples
    --------
    >>> try:
    ...     reproduce("an unknown paper", "out")
    ... except ValueError as error:
    ...     print(error)
    paper must be one of 'reporting', 'divergence', 'sensitivity', 'introduction',
    'all', got 'an unknown paper'.
    """
    papers = asked_for(paper)
    path = checked_directory(directory)
    crew = cores() if workers is None else whole("workers", workers, 1, _MOST_WORKERS)
    check_packages()
    start = time.perf_counter()
    tasks = tasks_of(papers)
    pieces: list[Done] = []
    with (
        progress_bar(progress, len(tasks), "figures, tables, numbers") as step,
        closing(done_by(crew, tasks)) as coming,
    ):
        for piece in coming:
            pieces.append(piece)
            step(1)
    results = tuple(collected(one, pieces) for one in papers)
    cpu = sum(piece.seconds for piece in pieces)
    summary = Summary(path, results, cpu, time.perf_counter() - start)
    order = {task: place for place, task in enumerate(tasks)}
    files: dict[str, bytes] = {}
    for piece in sorted(pieces, key=lambda piece: order[piece.task]):
        files.update(piece.files)
    files["summary.json"] = (json.dumps(summary.to_json(), indent=2, allow_nan=False) + "\n").encode()
    files["index.html"] = page(summary).encode()
    write_all(path, files, frozenset(name for task in tasks for name in files_of(task)))
    return summary
