"""How a call is defined once and works with and without `await`.

A resource is a class whose methods say which requests a call makes. `Client` has the resources with `Now`, where a call
returns its answer; `AsyncClient` has the same ones with `Later`, where it returns what is awaited.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Concatenate, Generic, TypeVar, overload

from typing_extensions import ParamSpec

from crosswalk_client.requests import Lines, Pages, Plan
from crosswalk_client.transport import Awaiting, Blocking

P = ParamSpec("P")
R = TypeVar("R")


class Now:
    """The mode of resources whose calls return their answer."""


class Later:
    """The mode of resources whose calls are awaited."""


Mode = TypeVar("Mode", Now, Later)


class Resource(Generic[Mode]):
    """The calls of one resource."""

    def __init__(self, transport: Blocking | Awaiting) -> None:
        self._transport = transport


class call(Generic[P, R]):  # noqa: N801 - a decorator
    """A method that answers with one value; the decorated function is its plan."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Plan[R]]) -> None:
        self.plan = plan
        self.__doc__ = plan.__doc__

    @overload
    def __get__(self, of: None, kind: Any) -> call[P, R]: ...
    @overload
    def __get__(self, of: Resource[Now], kind: Any) -> Callable[P, R]: ...
    @overload
    def __get__(self, of: Resource[Later], kind: Any) -> Callable[P, Awaitable[R]]: ...
    def __get__(self, of: Any, kind: Any) -> Any:
        return self if of is None else _bound(of, self.plan, of._transport.run)


class pages(Generic[P, R]):  # noqa: N801 - a decorator
    """A method that goes through a list, page by page."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Pages[R]]) -> None:
        self.plan = plan
        self.__doc__ = plan.__doc__

    @overload
    def __get__(self, of: None, kind: Any) -> pages[P, R]: ...
    @overload
    def __get__(self, of: Resource[Now], kind: Any) -> Callable[P, Iterator[R]]: ...
    @overload
    def __get__(self, of: Resource[Later], kind: Any) -> Callable[P, AsyncIterator[R]]: ...
    def __get__(self, of: Any, kind: Any) -> Any:
        return self if of is None else _bound(of, self.plan, of._transport.pages)


class lines(Generic[P, R]):  # noqa: N801 - a decorator
    """A method that goes through a stream, line by line."""

    def __init__(self, plan: Callable[Concatenate[Any, P], Lines[R]]) -> None:
        self.plan = plan
        self.__doc__ = plan.__doc__

    @overload
    def __get__(self, of: None, kind: Any) -> lines[P, R]: ...
    @overload
    def __get__(self, of: Resource[Now], kind: Any) -> Callable[P, Iterator[R]]: ...
    @overload
    def __get__(self, of: Resource[Later], kind: Any) -> Callable[P, AsyncIterator[R]]: ...
    def __get__(self, of: Any, kind: Any) -> Any:
        return self if of is None else _bound(of, self.plan, of._transport.lines)


def _bound(of: Resource[Any], plan: Callable[..., Any], run: Callable[[Any], Any]) -> Callable[..., Any]:
    def bound(*args: Any, **named: Any) -> Any:
        return run(plan(of, *args, **named))

    bound.__name__ = plan.__name__
    bound.__doc__ = plan.__doc__
    return bound
