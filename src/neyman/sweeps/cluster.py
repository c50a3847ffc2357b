"""A Dask cluster: the same blocks, sent to its workers a few at a time."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator
from typing import Any

from neyman._errors import InvalidParameter, NeymanError
from neyman.sweeps.answers import Answers, answers
from neyman.sweeps.extras import need
from neyman.sweeps.job import Job
from neyman.sweeps.version import VERSION
from neyman.sweeps.workers import Block

__all__ = ["check_client", "on_cluster"]

_AHEAD = 3  # blocks under way for each thread of the cluster
_LEAST = 4  # blocks under way, however few threads there are


def check_client(client: Any) -> None:
    """Refuse what is no synchronous ``dask.distributed.Client``."""
    distributed = need("distributed")
    if not isinstance(client, distributed.Client):
        raise InvalidParameter("client", client, "a dask.distributed.Client")
    if client.asynchronous:
        raise InvalidParameter("client", client, "a Client made without asynchronous=True")


def on_cluster(client: Any, job: Job, blocks: Iterator[Block]) -> Generator[tuple[int, Answers], None, None]:
    """Answer the blocks on the cluster, in the order in which they end.

    Blocks of workers that are lost are answered again by others, which is what Dask's scheduler does. The number of
    blocks under way is bounded and follows the size of the cluster, so that neither scheduler nor client ever holds
    more than that many.

    Raises
    ------
    NeymanError
        If the workers run another version.
    """
    run = uuid.uuid4().hex[:12]
    done = need("distributed").as_completed()
    pending: dict[Any, int] = {}
    try:
        while True:
            room = max(_LEAST, _AHEAD * sum(client.nthreads().values())) - len(pending)
            for _, (number, values) in zip(range(room), blocks, strict=False):
                future = client.submit(answers, job, values, key=f"neyman-sweep-{run}-{number}", pure=False)
                pending[future] = number
                done.add(future)
            if not pending:
                return
            future = next(done)
            found: Answers = future.result()
            number = pending.pop(future)
            future.release()
            if found.version != VERSION:
                raise NeymanError(f"sweep: the cluster runs neyman {found.version}, this is {VERSION}.")
            yield number, found
    finally:
        if pending:
            client.cancel(list(pending))
