"""Gradients for the few operations that the network is made of, on numpy arrays.

A `Value` remembers how it was made; `backward` walks the tape in reverse. Rows are tokens, items
or spans; nothing here knows about batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Value:
    """An array with its gradient and the step that made it."""

    def __init__(self, data: Array, parents: Sequence[Value] = ()) -> None:
        self.data = data
        self.grad: Array | None = None
        self.parents = parents
        self.step: Callable[[Array], None] | None = None
        self.touched: list[tuple[Array, Array]] | None = None
        """For a table, the rows looked up and their gradients, instead of `grad`."""

    def add_grad(self, grad: Array) -> None:
        self.grad = grad if self.grad is None else self.grad + grad

    def backward(self) -> None:
        order: list[Value] = []
        seen: set[int] = set()
        stack: list[tuple[Value, bool]] = [(self, False)]
        while stack:
            value, is_done = stack.pop()
            if is_done:
                order.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                stack.append((value, True))
                stack.extend((parent, False) for parent in value.parents)
        self.grad = np.ones_like(self.data)
        for value in reversed(order):
            if value.step is not None and value.grad is not None:
                value.step(value.grad)


def linear(x: Value, weight: Value, bias: Value | None = None) -> Value:
    out = Value(
        x.data @ weight.data + (0.0 if bias is None else bias.data),
        [x, weight] if bias is None else [x, weight, bias],
    )

    def step(grad: Array) -> None:
        x.add_grad(grad @ weight.data.T)
        weight.add_grad(x.data.T @ grad)
        if bias is not None:
            bias.add_grad(grad.sum(0))

    out.step = step
    return out


def add(a: Value, b: Value) -> Value:
    out = Value(a.data + b.data, [a, b])

    def step(grad: Array) -> None:
        a.add_grad(grad)
        b.add_grad(grad)

    out.step = step
    return out


def relu(x: Value) -> Value:
    out = Value(np.maximum(x.data, 0.0), [x])
    out.step = lambda grad: x.add_grad(grad * (x.data > 0.0))
    return out


def times(x: Value, factor: Array) -> Value:
    """The value times a constant: a mask, or dropout."""
    out = Value(x.data * factor, [x])
    out.step = lambda grad: x.add_grad(grad * factor)
    return out


def side_by_side(values: Sequence[Value]) -> Value:
    out = Value(np.concatenate([value.data for value in values], axis=1), list(values))

    def step(grad: Array) -> None:
        place = 0
        for value in values:
            width = value.data.shape[1]
            value.add_grad(grad[:, place : place + width])
            place += width

    out.step = step
    return out


def rows(table: Value, index: Array) -> Value:
    """The rows at `index`; -1 gives zeros."""
    known = index >= 0
    out = Value(table.data[np.where(known, index, 0)] * known[:, None].astype(np.float32), [table])

    def step(grad: Array) -> None:
        if table.touched is not None:
            table.touched.append((index[known], grad[known]))
            return
        full = np.zeros_like(table.data)
        np.add.at(full, index[known], grad[known])
        table.add_grad(full)

    out.step = step
    return out


def shifted(x: Value, by: int) -> Value:
    """Each row from `by` rows before it; zeros beyond the ends."""
    data = np.zeros_like(x.data)
    if by > 0:
        data[by:] = x.data[:-by]
    else:
        data[:by] = x.data[-by:]
    out = Value(data, [x])

    def step(grad: Array) -> None:
        back = np.zeros_like(grad)
        if by > 0:
            back[:-by] = grad[by:]
        else:
            back[-by:] = grad[:by]
        x.add_grad(back)

    out.step = step
    return out


def means(x: Value, groups: Sequence[Array]) -> Value:
    """For each group of row numbers their mean; zeros for an empty one."""
    data = np.zeros((len(groups), x.data.shape[1]), np.float32)
    for place, group in enumerate(groups):
        if len(group):
            data[place] = x.data[group].mean(0)
    out = Value(data, [x])

    def step(grad: Array) -> None:
        back = np.zeros_like(x.data)
        for place, group in enumerate(groups):
            if len(group):
                back[group] += grad[place] / len(group)
        x.add_grad(back)

    out.step = step
    return out


def maxima(x: Value, groups: Sequence[Array]) -> Value:
    """For each group of row numbers the highest of each column; zeros for an empty one."""
    width = x.data.shape[1]
    data = np.zeros((len(groups), width), np.float32)
    winners = np.zeros((len(groups), width), np.int64)
    for place, group in enumerate(groups):
        if len(group):
            winner = x.data[group].argmax(0)
            winners[place] = group[winner]
            data[place] = x.data[winners[place], np.arange(width)]
    out = Value(data, [x])

    def step(grad: Array) -> None:
        back = np.zeros_like(x.data)
        columns = np.arange(width)
        for place, group in enumerate(groups):
            if len(group):
                back[winners[place], columns] += grad[place]
        x.add_grad(back)

    out.step = step
    return out


def cross_entropy(logits: Value, labels: Array, weights: Array, smoothing: float = 0.0) -> Value:
    """The weighted mean of -log p(label); labels below zero count nothing."""
    data = logits.data - logits.data.max(1, keepdims=True)
    exp = np.exp(data)
    probabilities = exp / exp.sum(1, keepdims=True)
    known = labels >= 0
    safe = np.where(known, labels, 0)
    weight = weights * known
    total = max(float(weight.sum()), 1e-6)
    classes = data.shape[1]
    target = np.full_like(probabilities, smoothing / classes)
    target[np.arange(len(labels)), safe] += 1.0 - smoothing
    losses = -(target * np.log(probabilities + 1e-9)).sum(1)
    out = Value(np.array((losses * weight).sum() / total, np.float32), [logits])
    out.step = lambda grad: logits.add_grad(
        (grad * (probabilities - target) * (weight / total)[:, None]).astype(np.float32)
    )
    return out


def weighted_sum(values: Sequence[tuple[float, Value]]) -> Value:
    out = Value(
        np.array(sum(weight * float(value.data) for weight, value in values), np.float32),
        [value for _, value in values],
    )

    def step(grad: Array) -> None:
        for weight, value in values:
            value.add_grad(grad * np.float32(weight))

    out.step = step
    return out


class Adam:
    """Adam with decoupled weight decay."""

    def __init__(self, parameters: dict[str, Value], *, decay: float) -> None:
        self._parameters = parameters
        self._decay = decay
        self._first = {name: np.zeros_like(value.data) for name, value in parameters.items()}
        self._second = {name: np.zeros_like(value.data) for name, value in parameters.items()}
        self._steps = 0

    def update(self, rate: float) -> None:
        self._steps += 1
        warm = rate * np.sqrt(1 - 0.999**self._steps) / (1 - 0.9**self._steps)
        for name, value in self._parameters.items():
            if value.touched:
                self._update_rows(name, value, rate, warm)
            elif value.grad is not None:
                self._update_all(name, value, rate, warm)

    def _update_all(self, name: str, value: Value, rate: float, warm: float) -> None:
        grad = np.clip(value.grad, -1.0, 1.0)
        first, second = self._first[name], self._second[name]
        first += 0.1 * (grad - first)
        second += 0.001 * (grad * grad - second)
        if value.data.ndim > 1:
            value.data *= 1.0 - rate * self._decay
        value.data -= warm * first / (np.sqrt(second) + 1e-8)
        value.grad = None

    def _update_rows(self, name: str, value: Value, rate: float, warm: float) -> None:
        """Only the rows that were looked up, as if the others had not been there."""
        assert value.touched is not None
        index = np.concatenate([rows for rows, _ in value.touched])
        distinct, places = np.unique(index, return_inverse=True)
        grad = np.zeros((len(distinct), value.data.shape[1]), np.float32)
        np.add.at(grad, places, np.concatenate([grads for _, grads in value.touched]))
        grad = np.clip(grad, -1.0, 1.0)
        first, second = self._first[name][distinct], self._second[name][distinct]
        first += 0.1 * (grad - first)
        second += 0.001 * (grad * grad - second)
        self._first[name][distinct], self._second[name][distinct] = first, second
        step = warm * first / (np.sqrt(second) + 1e-8)
        value.data[distinct] = value.data[distinct] * (1.0 - rate * self._decay) - step
        value.touched = []
