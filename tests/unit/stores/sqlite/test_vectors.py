"""Vectors as blobs."""

import numpy as np
import pytest

from perdure.stores.sqlite.vectors import FLOAT32, INT8, pack, packed_bytes, table_rows, unpack


def some_vectors(count, dimension, seed=7):
    rows = np.random.default_rng(seed).standard_normal((count, dimension))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def kept(rows, encoding):
    return np.concatenate([unpack(*part, rows.shape[1]) for part in pack(rows, encoding)])


@pytest.mark.parametrize("dimension", [1, 3, 4, 128, 384])
def test_float32_is_exact(dimension):
    rows = some_vectors(3, dimension)
    assert np.array_equal(kept(rows, FLOAT32), rows)


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 5, 384])
def test_int8_is_right_to_a_thousandth_of_the_largest_value(dimension):
    rows = some_vectors(3, dimension)
    error = np.abs(kept(rows, INT8) - rows)
    assert (error <= np.abs(rows).max(axis=1, keepdims=True) / 1022 + 1e-7).all()


@pytest.mark.parametrize("encoding", [FLOAT32, INT8])
@pytest.mark.parametrize("dimension", [1, 3, 384])
def test_a_blob_has_the_length_that_is_checked(encoding, dimension):
    parts = pack(some_vectors(5, dimension), encoding)
    assert sum(part.pieces for part in parts) == 5
    for part in parts:
        assert len(part.data) == packed_bytes(encoding, part.pieces, dimension)


@pytest.mark.parametrize(
    ("dimension", "encoding", "expected"),
    [(384, FLOAT32, [1, 1, 1, 1, 1]), (128, FLOAT32, [3, 2]), (128, INT8, [5]), (4, FLOAT32, [5])],
)
def test_rows_hold_as_many_pieces_as_fit_well(dimension, encoding, expected):
    parts = pack(some_vectors(5, dimension), encoding)
    assert [part.pieces for part in parts] == expected


def test_no_vectors_are_no_rows():
    assert pack(np.empty((0, 384), dtype=np.float32), FLOAT32) == ()


def test_rows_of_a_memory_are_numbered_and_the_first_tells_how_many_follow():
    rows = table_rows(7, 1, pack(some_vectors(3, 384), FLOAT32))
    assert [(row[0], row[4]) for row in rows] == [(7 << 16, 2), (7 << 16 | 1, 0), (7 << 16 | 2, 0)]


def test_int8_takes_under_a_third_of_float32():
    assert packed_bytes(INT8, 1, 384) < packed_bytes(FLOAT32, 1, 384) / 3


def test_a_zero_vector_survives_int8():
    assert np.array_equal(kept(np.zeros((1, 8), dtype=np.float32), INT8), np.zeros((1, 8)))


@pytest.mark.parametrize("spectrum", ["flat", "steep"])
def test_int8_finds_the_true_nearest_ten(spectrum):
    rows = some_vectors(5_000, 384)
    asked = some_vectors(100, 384, seed=8)
    if spectrum == "steep":
        falling = 1 / np.sqrt(np.arange(1, 385, dtype=np.float32))
        rows, asked = rows * falling, asked * falling
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    true = np.argsort(-(asked @ rows.T), axis=1)[:, :10]
    found = np.argsort(-(asked @ kept(rows, INT8).T), axis=1)[:, :10]
    recall = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(true, found, strict=True)])
    assert recall >= 0.99
