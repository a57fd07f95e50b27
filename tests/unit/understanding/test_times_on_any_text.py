"""Any text can be read, quickly, and what is found keeps its promises."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from perdure.errors import InvalidInput
from perdure.understanding import find_times
from perdure.understanding.languages.known_times import TIME_LANGUAGES
from perdure.understanding.times.language import TimeLanguage

MORSELS = """in on at by since from to until between and the of a last next this before after ago
now early late mid end beginning week weekend month year quarter half day hour minute Friday May
March July Q3 H1 fall spring 2024 1999 31 30 29 12 7 3 0 1st 22nd second thirty two couple noon
midnight tonight tomorrow morning 3pm 15:30 2027-02-29 31/02/2027 Christmas Easter nineties 1990s
年 月 日 号 周 上周 下个 星期 三 五 十 两 半 个 前 后 以前 之后 点 分 刻 到 至 从 自 以来 起 上半年 季度 春天 年代
九十 国庆节 春节 中秋 明天 昨晚 凌晨 下午 底 初 中旬 第 最后 一 天 2026年 13月 32号 25点 ( ) , - – : / . ' ，。 　""".split()

references = st.datetimes(
    min_value=datetime(1, 1, 1),  # noqa: DTZ001
    timezones=st.builds(timezone, st.integers(-1439, 1439).map(lambda m: timedelta(minutes=m))),
)
texts = st.text(max_size=120) | st.lists(
    st.sampled_from(MORSELS) | st.text(max_size=3), max_size=16
).flatmap(lambda parts: st.sampled_from(["", " "]).map(lambda gap: gap.join(parts)))


@settings(max_examples=400, deadline=None)
@given(text=texts, reference=references)
def test_any_text_is_read(text: str, reference: datetime) -> None:
    found = find_times(text, reference=reference)
    place = 0
    for time in found:
        assert place <= time.start_char < time.end_char <= len(text)
        place = time.end_char
        assert time.text == text[time.start_char : time.end_char]
        assert time.interval.end is None or time.interval.start < time.interval.end
        assert time.interval.start.utcoffset() == reference.utcoffset()


def _forms_of(language: TimeLanguage) -> st.SearchStrategy[str]:
    """Texts that a rule of the language matches: every branch of it, the rarest too."""
    rules = [*language.wildcard, *(rule for each in language.rules.values() for rule in each)]
    sources = sorted({(rule.pattern, int(rule.flags)) for rule in rules})
    return st.one_of([st.from_regex(re.compile(*each), fullmatch=True) for each in sources])


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(form=st.one_of([_forms_of(language) for language in TIME_LANGUAGES]), reference=references)
@example(form="头一个月", reference=datetime(2031, 7, 25, tzinfo=UTC))
@example(form="再过一.0分钟", reference=datetime(2031, 7, 25, tzinfo=UTC))
def test_every_form_of_every_rule_is_read(form: str, reference: datetime) -> None:
    find_times(form, reference=reference)


@settings(max_examples=100, deadline=None)
@given(text=texts, reference=references)
def test_the_same_text_means_the_same_twice(text: str, reference: datetime) -> None:
    assert find_times(text, reference=reference) == find_times(text, reference=reference)


def test_a_reference_without_an_offset_is_refused() -> None:
    with pytest.raises(InvalidInput):
        find_times("yesterday", reference=datetime(2027, 4, 14))  # noqa: DTZ001


def test_a_year_beyond_the_calendar_is_no_time() -> None:
    last_day = datetime(9999, 12, 31, 12, tzinfo=UTC)
    assert find_times("in 300 years", reference=last_day) == []
    assert find_times("See you tomorrow", reference=last_day) == []
