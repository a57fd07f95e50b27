"""Marks: how far some work has come, kept beside the memories and written with the changes."""

from __future__ import annotations

from perdure.domain.changes import Mark, Refused
from perdure.testing.builders import a_change_set, a_memory
from perdure.testing.contracts._store_stand import Stand


class KeepsMarks:
    """`ChangeSet.marks` and `mark`."""

    def test_a_mark_is_what_was_put(self, stand: Stand) -> None:
        assert stand.run(stand.store.mark("read")) is None
        stand.write(a_change_set(marks=(Mark(name="read", value=7),)))
        assert stand.run(stand.store.mark("read")) == 7
        stand.write(a_change_set(marks=(Mark(name="read", value=2**62, was=7),)))
        assert stand.run(stand.store.mark("read")) == 2**62
        assert stand.run(stand.store.mark("another")) is None

    def test_a_mark_leaves_no_entry(self, stand: Stand) -> None:
        stand.write(a_change_set(marks=(Mark(name="read", value=7),)))
        assert stand.entries() == []
        stand.assert_sound()

    def test_a_mark_that_moved_refuses_the_whole_set(self, stand: Stand) -> None:
        stand.write(a_change_set(marks=(Mark(name="read", value=7),)))
        memory = a_memory()
        for was in (None, 6, 8):
            late = a_change_set(memory, marks=(Mark(name="read", value=9, was=was),))
            assert stand.refuse(late).marks == ("read",)
        assert stand.refuse(
            a_change_set(marks=(Mark(name="other", value=1, was=0), Mark(name="read", value=8)))
        ).marks == ("other", "read")
        assert stand.run(stand.store.mark("read")) == 7
        assert stand.run(stand.store.mark("other")) is None

    def test_a_refused_set_moves_no_mark(self, stand: Stand) -> None:
        memory = stand.keep(a_memory())
        stand.refuse(a_change_set(memory, marks=(Mark(name="read", value=1),)))
        assert stand.run(stand.store.mark("read")) is None

    def test_a_mark_is_written_with_its_changes(self, stand: Stand) -> None:
        memory = a_memory()
        stand.write(a_change_set(memory, marks=(Mark(name="read", value=1),)))
        assert stand.stored(memory) == memory
        assert stand.run(stand.store.mark("read")) == 1

    def test_one_of_many_moves_a_mark(self, stand: Stand) -> None:
        answers = stand.together(
            *(
                stand.store.apply(
                    a_change_set(a_memory(f"{n}"), marks=(Mark(name="read", value=n),))
                )
                for n in range(1, 9)
            )
        )
        assert sum(not isinstance(answer, Refused) for answer in answers) == 1
        assert len(stand.entries()) == 1
