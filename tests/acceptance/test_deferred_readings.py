"""Messages whose reading waits for a language model, on every store that lasts."""

from __future__ import annotations

from datetime import timedelta

from perdure import LanguageModelUnavailable
from perdure.testing import ScriptedLanguageModel, answer

OUT = LanguageModelUnavailable("the language model answered with status 429")
BRNO = {"subject": "user", "predicate": "lives_in", "object": "Brno"}
TOLD = {"role": "user", "content": "I live in Brno.", "time": "2031-03-10T10:00:00+02:00"}


def test_what_waits_outlives_the_process(lasting_home):
    with lasting_home.open(language_model=ScriptedLanguageModel([OUT])) as memory:
        assert memory.scoped(user="ilka").observe([TOLD]).is_deferred
    lasting_home.clock.advance(timedelta(minutes=2))
    with lasting_home.open(language_model=ScriptedLanguageModel([answer([BRNO])])) as memory:
        ilka = memory.scoped(user="ilka")
        assert ilka.stats().deferred == 1
        assert ilka.catch_up().read == 1
        [kept] = ilka.list(kinds="semantic")
        assert (kept.object, kept.valid_from.isoformat()) == ("Brno", "2031-03-10T08:00:00+00:00")
        assert ilka.stats().deferred == 0


def test_two_that_catch_up_at_once_store_it_once(shared_home):
    with shared_home.open(language_model=ScriptedLanguageModel([OUT])) as memory:
        memory.scoped(user="ilka").observe([TOLD])
    shared_home.clock.advance(timedelta(minutes=2))
    outer = shared_home.open(language_model=ScriptedLanguageModel([answer([BRNO])]))

    def meanwhile(_messages):
        """Another process reads it while this one's model still thinks."""
        assert outer.scoped(user="ilka").catch_up().read == 1
        return answer([BRNO])

    inner = shared_home.open(language_model=ScriptedLanguageModel([meanwhile]))
    inner.scoped(user="ilka").catch_up()
    assert [item.object for item in inner.scoped(user="ilka").list(kinds="semantic")] == ["Brno"]
    assert inner.scoped(user="ilka").count() == 2


def test_what_waits_is_kept_in_an_export(lasting_home, tmp_path):
    with lasting_home.open(language_model=ScriptedLanguageModel([OUT])) as memory:
        ilka = memory.scoped(user="ilka")
        ilka.observe([TOLD])
        ilka.export(tmp_path / "out.jsonl")
    assert "deferred" in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
