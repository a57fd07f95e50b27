"""Where transcripts lie: a file, an export's zip archive, or the folder it was unpacked to."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from perdure.errors import InvalidInput, Unavailable
from perdure.importers.watching import CountingFile

_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
"""Large exports are split into conversations-000.json, conversations-001.json, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One file of a transcript. `stem` names its conversations when nothing inside does."""

    name: str
    stem: str
    size: int
    source: Callable[[], BinaryIO]

    def opened(self, count: Callable[[int], None] = lambda _: None) -> BufferedReader:
        """The document from its beginning; `count` is told how many bytes were read."""
        return BufferedReader(CountingFile(self.source(), count))


def documents_of(path: str | Path) -> list[Document]:
    """The documents at a path, in the order of their names.

    Raises `InvalidInput` when nothing is there or an archive holds no conversations.
    """
    source = Path(path)
    try:
        if source.is_dir():
            return _in_folder(source)
        if not source.exists():
            raise InvalidInput(f"{source} does not exist")
        if zipfile.is_zipfile(source):
            return _in_archive(source)
        return [_file(source)]
    except OSError as error:
        raise Unavailable(f"{source} cannot be read: {error.strerror}") from error


def _file(path: Path) -> Document:
    return Document(
        name=path.name,
        stem=path.stem,
        size=path.stat().st_size,
        source=lambda: path.open("rb"),
    )


def _in_folder(folder: Path) -> list[Document]:
    found = sorted(item for item in folder.iterdir() if _CONVERSATIONS.fullmatch(item.name))
    if not found:
        raise InvalidInput(f"the folder {folder} holds no conversations.json")
    return [_file(item) for item in found]


def _in_archive(path: Path) -> list[Document]:
    try:
        with zipfile.ZipFile(path) as archive:
            inside = archive.infolist()
    except zipfile.BadZipFile as error:
        raise InvalidInput(f"the archive {path} is damaged: {error}") from error
    members = sorted(filter(_is_conversations, inside), key=lambda member: member.filename)
    if not members:
        raise InvalidInput(f"the archive {path} holds no conversations.json")
    return [_member(path, member) for member in members]


def _is_conversations(member: zipfile.ZipInfo) -> bool:
    return _CONVERSATIONS.fullmatch(member.filename.rsplit("/", 1)[-1]) is not None


def _member(path: Path, member: zipfile.ZipInfo) -> Document:
    def opened() -> BinaryIO:
        # The file inside keeps the archive open for as long as it is open itself.
        try:
            with zipfile.ZipFile(path) as archive:
                return cast(BinaryIO, archive.open(member))
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise InvalidInput(f"{member.filename} in {path} cannot be read: {error}") from error

    return Document(
        name=member.filename,
        stem=Path(member.filename).stem,
        size=member.file_size,
        source=opened,
    )
