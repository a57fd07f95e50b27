from __future__ import annotations

import threading

import pytest

from perdure.blas import OneBlasThread


class FakeBlas:
    """A BLAS with a number of threads, controlled as `threadpoolctl` does it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def limit(self, *, limits: int, user_api: str) -> FakeLimit:
        assert user_api == "blas"
        limit = FakeLimit(self, self.threads)
        self.threads = limits
        return limit


class FakeLimit:
    def __init__(self, blas: FakeBlas, before: int) -> None:
        self._blas = blas
        self._before = before

    def restore_original_limits(self) -> None:
        self._blas.threads = self._before


def test_one_thread_inside_and_the_old_number_afterwards() -> None:
    blas = FakeBlas(8)
    one_thread = OneBlasThread(lambda: blas)
    with one_thread:
        assert blas.threads == 1
    assert blas.threads == 8


def test_the_old_number_returns_when_the_last_of_several_leaves() -> None:
    blas = FakeBlas(8)
    one_thread = OneBlasThread(lambda: blas)
    is_inside, may_leave = threading.Event(), threading.Event()

    def stay() -> None:
        with one_thread:
            is_inside.set()
            may_leave.wait(10)

    other = threading.Thread(target=stay)
    with one_thread:
        other.start()
        assert is_inside.wait(10)
    assert blas.threads == 1
    may_leave.set()
    other.join(10)
    assert blas.threads == 8


def test_the_old_number_returns_after_an_error() -> None:
    blas = FakeBlas(8)
    one_thread = OneBlasThread(lambda: blas)
    with pytest.raises(ZeroDivisionError), one_thread:
        raise ZeroDivisionError
    assert blas.threads == 8


def test_without_a_controller_nothing_happens() -> None:
    with OneBlasThread(lambda: None):
        pass
