"""Arrays that grow while others read them."""

import numpy as np

from perdure.stores._index.growing import GrowingArray, GrowingColumns


def test_a_view_shows_what_was_there_when_it_was_taken():
    array = GrowingArray(np.int64)
    array.extend(np.array([1, 2]))
    view = array.view
    for number in range(100):
        array.extend(np.array([number]))
    later = array.view
    array.replace([0], np.array([9]))
    assert view.tolist() == later[:2].tolist() == [1, 2]
    assert array.view[:2].tolist() == [9, 2]
    assert array.size == 102


def test_columns_too():
    columns = GrowingColumns(np.int64, count=2)
    columns.extend([[1, 2], [3, 4]])
    view = columns.view
    for number in range(100):
        columns.extend([[number], [-number]])
    later = columns.view
    columns.replace([1], np.array([[8], [9]]))
    assert view.tolist() == later[:, :2].tolist() == [[1, 2], [3, 4]]
    assert columns.view[:, :3].tolist() == [[1, 8, 0], [3, 9, 0]]


def test_reserved_room_is_used():
    array = GrowingArray(np.float32, width=3)
    array.reserve(10)
    held = array.nbytes
    array.extend(np.ones((10, 3), dtype=np.float32))
    assert array.nbytes == held == 10 * 3 * 4
