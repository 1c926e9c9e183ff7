"""A guard does all that a decision asks for: it waits, it refuses, and it gives back what the statement held."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _told
from ._errors import StatementAborted
from ._names import Verdict
from ._settle import settle, settle_async

if TYPE_CHECKING:
    from ._native import Decision, Engine

__all__ = ["Guard"]

_F = TypeVar("_F", bound=Callable[..., Any])

_ALLOW = Verdict.ALLOW


class Guard:
    """Of one statement or request; from :meth:`Throttle.guard`. Nothing is asked before it is entered.

    It may be entered again once it was left, and asks anew then, but not twice at a time: two threads have two guards. As a
    decorator it makes one for each call.
    """

    __slots__ = ("_ask", "_ask_unsettled", "_decision", "_throttle")

    def __init__(self, throttle: Engine, ask: Callable[[], Decision], ask_unsettled: Callable[[], Decision]) -> None:
        self._throttle = throttle
        self._ask = ask
        self._ask_unsettled = ask_unsettled
        self._decision: Decision | None = None

    @property
    def decision(self) -> Decision:
        """What was decided.

        :raises RuntimeError: it is not entered.
        """
        if self._decision is None:
            raise RuntimeError("the guard is not entered")
        return self._decision

    @property
    def ignored(self) -> bool:
        """Whether the statement is not to be sent, and its caller to have an empty result. Only where ``fakes`` was given."""
        return self.decision.verdict is Verdict.IGNORE

    def __enter__(self) -> Guard:
        if self._decision is not None:
            raise _entered_already()
        decision = self._ask()
        if decision.verdict is _ALLOW:
            self._decision = decision
            return self
        return self._entered(settle(self._throttle, decision))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._leave()

    async def __aenter__(self) -> Guard:
        if self._decision is not None:
            raise _entered_already()
        return self._entered(await settle_async(self._throttle, self._ask_unsettled(), self._ask))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._leave()

    def __call__(self, function: _F) -> _F:
        """The function under a guard, of which each call has its own; of a generator, until it has ended or is closed.

        What is to be ignored is refused, as nobody but the function could stand in for its result.
        """
        if inspect.isasyncgenfunction(function):
            decorated: Callable[..., Any] = self._of_async_generator(function)
        elif inspect.iscoroutinefunction(function):
            decorated = self._of_coroutine(function)
        elif inspect.isgeneratorfunction(function):
            decorated = self._of_generator(function)
        else:
            decorated = self._of_function(function)
        return cast(_F, functools.wraps(function)(decorated))

    def _of_function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **kwargs: Any) -> Any:
            with self._another():
                return function(*args, **kwargs)

        return guarded

    def _of_coroutine(self, function: Callable[..., Any]) -> Callable[..., Any]:
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            async with self._another():
                return await function(*args, **kwargs)

        return guarded

    def _of_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            with self._another():
                inner: Generator[Any, Any, Any] = function(*args, **kwargs)
                return (yield from inner)

        return guarded

    def _of_async_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        async def guarded(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            async with self._another():
                inner = function(*args, **kwargs)
                try:
                    async for item in inner:
                        yield item
                finally:
                    await inner.aclose()

        return guarded

    def _another(self) -> _Refusing:
        return _Refusing(self._throttle, self._ask, self._ask_unsettled)

    def _entered(self, decision: Decision) -> Guard:
        verdict = decision.verdict
        if verdict is _ALLOW or verdict is Verdict.IGNORE:
            if verdict is Verdict.IGNORE:
                _told.ignored(decision)
            self._decision = decision
            return self
        raise StatementAborted(decision)

    def _leave(self) -> None:
        decision, self._decision = self._decision, None
        if decision is not None:
            self._throttle.release(decision)


class _Refusing(Guard):
    """A guard whose body cannot know that its statement is ignored."""

    __slots__ = ()

    def _entered(self, decision: Decision) -> Guard:
        if decision.verdict is Verdict.IGNORE:
            raise StatementAborted(decision)
        return super()._entered(decision)


def _entered_already() -> RuntimeError:
    return RuntimeError("the guard is entered already; a second one is to be asked for")
