"""What an English speaker is told or asked about themselves, as they would say it."""

from __future__ import annotations

from perdure.understanding.languages.language import Pattern

TO_FIRST_PERSON = (
    (
        Pattern(
            r"(?i)\b(?:am\ i\ right\ (?:that|in\ thinking\ (?:that)?)|is\ it\ (?:right|true)\ that|"
            r"do\ i\ (?:understand|remember)\ (?:correctly|right)\ that|if\ i\ remember\ (?:correctly|right),?|"
            r"i\ (?:think|believe|gather|understand|take\ it|assume)(?:\ that)?|correct\ me\ if\ i'm\ wrong,?(?:\ but)?)\ (?=you)"
        ),
        "",
    ),
    (
        Pattern(
            r"(?i)(?:,?\s*(?:right|correct|yes|is\ that\ (?:right|so|correct)|isn't\ (?:it|that\ so)|aren't\ you|don't\ you|"
            r"haven't\ you))?\s*\?"
        ),
        ".",
    ),
    (Pattern(r"(?i)\bare\ you\b(?!\s*\.)"), "I am"),
    (Pattern(r"(?i)\b(?:do|did)\ you\b"), "I"),
    (Pattern(r"(?i)\bhave\ you\ (?:got\b)?"), "I have "),
    (Pattern(r"(?i)\byou're\b"), "I'm"),
    (Pattern(r"(?i)\byou've\b"), "I've"),
    (Pattern(r"(?i)\byou\ are\b"), "I am"),
    (Pattern(r"(?i)\bis\ your\ (\w+)\b"), r"my \1 is"),
    (Pattern(r"(?i)\byour\b"), "my"),
    (Pattern(r"(?i)\byou\b"), "I"),
)
"""Replaced one after another."""
