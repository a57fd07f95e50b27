"""Terms made anew when the package analyses text otherwise than it did."""

from perdure.domain.analysis import VERSION, lexemes
from perdure.stores.sqlite import reanalysing
from perdure.testing.builders import a_memory

OUTDATED = "UPDATE meta SET value = 'an older one' WHERE name = 'analysis_version'"
WRONG = "UPDATE memories SET lexemes = x'01020304'"


def analysed(damage):
    return damage("SELECT value FROM meta WHERE name = 'analysis_version'")


def test_a_new_file_tells_how_its_texts_are_analysed(stand, damage):
    assert analysed(damage) == [(VERSION,)]


def test_terms_of_an_older_analysis_are_made_anew(stand, damage, monkeypatch):
    monkeypatch.setattr(reanalysing, "_BATCH", 3)
    texts = [f"kettle {number}" for number in range(8)]
    stand.keep(*map(a_memory, texts))
    stand.run(stand.store.close())
    damage(WRONG)
    damage(OUTDATED)
    stand.reopen()
    assert analysed(damage) == [(VERSION,)]
    stored = [len(blob) // 4 for (blob,) in damage("SELECT lexemes FROM memories ORDER BY seq")]
    assert stored == [len(lexemes(text)) for text in texts]
    assert stand.search(words="kettle").considered == len(texts)
    assert len(stand.search(words="5").candidates) == 1
    assert stand.run(stand.store.check(repair=False)) == []


def test_an_opening_that_was_there_before_sees_the_new_terms(stand, damage):
    memory = stand.keep(a_memory("a kettle"))
    damage(WRONG)
    assert stand.search(words="kettle").candidates == ()
    damage(OUTDATED)
    stand.another()
    assert [item.id for item in stand.search(words="kettle").candidates] == [memory.id]


def test_terms_of_the_present_analysis_are_left_alone(stand, damage):
    stand.keep(a_memory("a kettle"))
    damage(WRONG)
    stand.reopen()
    assert damage("SELECT lexemes FROM memories") == [(b"\x01\x02\x03\x04",)]
