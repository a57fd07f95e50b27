"""The languages whose time expressions are found."""

from perdure.understanding.languages.en.times import ENGLISH_TIMES
from perdure.understanding.languages.zh.times import CHINESE_TIMES

TIME_LANGUAGES = (ENGLISH_TIMES, CHINESE_TIMES)
"""In order of precedence where two read the same characters equally far."""
