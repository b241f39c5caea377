"""Run work on a cluster of machines with Dask's distributed scheduler (``summc[cluster]``)."""

from __future__ import annotations

import itertools
import logging
import warnings
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from summc.errors import InternalError, NotFoundError, SettingError, as_typed
from summc.system.logs import log

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Seconds to wait for a scheduler to answer.
_PATIENCE = 10
#: Items at each worker thread: one in work, and some queued, so that no worker waits for its next item.
_ITEMS_PER_THREAD = 3
#: Libraries whose log is hidden, because they log a traceback when we close the connection.
_LIBRARIES = ("distributed", "tornado", "asyncio")
#: Items submitted even if there are no workers yet: some clusters start workers when there is work.
_FIRST = 8


def map_on_cluster(work: Callable[[Item], Result], items: Iterable[Item], address: str) -> Generator[Result]:
    """Do ``work`` on each item on a Dask cluster, and yield the results as they come, in any order.

    ``address`` is that of the cluster's scheduler. If a worker is lost, another worker does its items again.
    Items are taken from ``items`` only as fast as the workers need them.
    """
    try:
        import distributed  # noqa: PLC0415 (an extra)
    except ImportError:
        raise SettingError(as_typed("scheduler"), "needs Dask", "pip install 'summc[cluster]'") from None
    _hush()
    source = iter(items)
    with _connected(distributed, address) as client:
        if not client.nthreads():
            log.warning("%s: no workers yet; start some by: dask worker %s --nthreads 1", address, address)
        running: Any = distributed.as_completed(with_results=True, loop=client.loop)  # type: ignore[no-untyped-call]
        try:
            while True:
                most = max(_FIRST, _ITEMS_PER_THREAD * sum(client.nthreads().values()))
                for item in itertools.islice(source, max(0, most - running.count())):
                    running.add(client.submit(work, item, pure=False))
                if running.is_empty():
                    return
                _, result = next(running)
                if isinstance(result, CancelledError):
                    raise InternalError(address, "the scheduler is gone", "start it, and this command again")
                yield result
        except distributed.KilledWorker as error:
            problem = f"a part was lost with {error.allowed_failures + 1} workers, one after another"
            raise InternalError(address, problem, "give the workers more memory") from None
        except ModuleNotFoundError as error:
            problem = f"a worker has no {error.name}"
            raise SettingError(address, problem, "install the same summc everywhere") from None


def _hush() -> None:
    """Keep the messages of Dask off the terminal: errors that matter are raised anyway."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LIBRARIES:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", "Sending large graph")  # of a part with long lines


def _connected(distributed: Any, address: str) -> Any:
    import asyncio  # noqa: PLC0415 (takes long, and is rarely needed)

    try:
        kind = asyncio.run(asyncio.wait_for(_kind_of_server(distributed, address), _PATIENCE))
        if kind != "Scheduler":
            raise SettingError(address, f"a {kind}, not a scheduler", "name the scheduler's port")
        return distributed.Client(address, set_as_default=False, timeout=_PATIENCE)
    # The last three: another program's answer was taken for the length of a message, too long for the memory.
    except (OSError, EOFError, MemoryError, AssertionError):
        raise NotFoundError(address, "no scheduler answers there", "start one by: dask scheduler") from None
    except (ValueError, TypeError) as error:  # TypeError: tls:// without certificates in Dask's configuration
        problem = f"cannot use {address} ({error})"
        raise SettingError(as_typed("scheduler"), problem, "write tcp://HOST:8786") from None


async def _kind_of_server(distributed: Any, address: str) -> str:
    """Return what runs at an address, such as "Scheduler" or "Worker": a client might wait for it forever."""
    security = distributed.Security().get_connection_args("client")
    async with distributed.rpc(address, connection_args=security) as server:
        return str((await server.identity()).get("type", "server of Dask"))
