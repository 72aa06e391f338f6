"""Stores keep small texts between runs: cursors of feeds, ids of handled events and versions of resources."""

import os
import threading
from collections.abc import Awaitable
from inspect import isawaitable
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import quote

T = TypeVar("T")


class Store(Protocol):
    """A store of a synchronous program. `set` returns once the value survives a crash."""

    def get(self, key: str) -> str | None: ...

    def set(self, key: str, value: str) -> None: ...


class AsyncStore(Protocol):
    """A store of an asynchronous program."""

    async def get(self, key: str) -> str | None: ...

    async def set(self, key: str, value: str) -> None: ...


class MemoryStore:
    """Ends with the process: for tests and first steps. Forgets the entry set longest ago beyond `most` entries."""

    def __init__(self, most: int = 100_000) -> None:
        self._values: dict[str, str] = {}
        self._most = most
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        return self._values.get(key)

    def set(self, key: str, value: str) -> None:
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value
            if len(self._values) > self._most:
                del self._values[next(iter(self._values))]


class FileStore:
    """
    Keeps a file for each key in a directory: for one process. A value is replaced as a whole, also in a crash. Nothing is
    removed; files older than the retention of events can be.
    """

    def __init__(self, directory: str | Path) -> None:
        self._directory = Path(directory)
        self._directory.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> str | None:
        try:
            return self._file(key).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    def set(self, key: str, value: str) -> None:
        following = self._directory / f"{quote(key, safe='')}.{os.getpid()}-{threading.get_ident()}.tmp"
        with following.open("w", encoding="utf-8") as file:
            file.write(value)
            file.flush()
            os.fsync(file.fileno())
        following.replace(self._file(key))

    def _file(self, key: str) -> Path:
        return self._directory / quote(key, safe="")


async def settled(value: T | Awaitable[T]) -> T:
    """The value of either kind of store."""
    return await value if isawaitable(value) else value
