"""The languages whose messages are understood."""

from perdure.understanding.languages.en.language import ENGLISH
from perdure.understanding.languages.zh.language import CHINESE

LANGUAGES = (ENGLISH, CHINESE)
