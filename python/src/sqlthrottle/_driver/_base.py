"""What a class of a driver is to those who check types, as only at run time it is known which one it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["DriverClass"]

if TYPE_CHECKING:

    class DriverClass:
        """Of a connection or a cursor. What guards them stands before it among the bases of a class."""

        def __init__(self, *arguments: Any, **options: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

        # What is asked of a base by super() has to be named.
        callproc: Any
        close: Any
        commit: Any
        copy: Any
        copy_expert: Any
        copy_from: Any
        copy_to: Any
        cursor: Any
        description: Any
        execute: Any
        executemany: Any
        executescript: Any
        fetchall: Any
        fetchmany: Any
        fetchone: Any
        iterdump: Any
        lastrowid: Any
        nextset: Any
        reset: Any
        rollback: Any
        rowcount: Any
        scroll: Any
        stream: Any
        tpc_commit: Any
        tpc_prepare: Any
        tpc_rollback: Any
        __exit__: Any
        __iter__: Any
        __next__: Any
        _check_results: Any
        _close: Any
        _close_gen: Any
        _declare_gen: Any
        _exec_command: Any
        _fetch_gen: Any
        _scroll_gen: Any

else:
    DriverClass = object
