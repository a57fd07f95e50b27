"""What the documentation says is true: its code runs, its links lead somewhere, it is up to date."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.acceptance.documentation import RUN, SHOWN, Page, read_page, run_page
from tests.services.embeddings_server import embeddings_server

ROOT = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh.md")
PAGES = [
    read_page(path)
    for path in sorted([*(ROOT / name for name in READMES), *(ROOT / "docs").rglob("*.md")])
]
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def name_of(page: Page) -> str:
    return page.path.relative_to(ROOT).as_posix()


@pytest.fixture
def environment(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[dict[str, str]]:
    """An empty folder to work in, with what the page asks for."""
    needs = request.param.needs
    embedder = next((need[9:] for need in needs if need.startswith("embedder=")), "hashing")
    monkeypatch.setenv("PERDURE_EMBEDDER", embedder)
    monkeypatch.delenv("PERDURE_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    with ExitStack() as services:
        if "postgres" in needs:
            monkeypatch.setenv("PERDURE_URL", request.getfixturevalue("postgres_database"))
        if "valkey" in needs:
            monkeypatch.setenv("REDIS_URL", request.getfixturevalue("valkey_url"))
        if "openai" in needs:
            service = services.enter_context(embeddings_server())
            monkeypatch.setenv("OPENAI_BASE_URL", service.url)
            monkeypatch.setenv("OPENAI_API_KEY", "key")
        yield dict(os.environ)
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize(
    ("page", "environment"),
    [pytest.param(page, page, id=name_of(page)) for page in PAGES if page.is_run],
    indirect=["environment"],
)
def test_the_code_on_a_page_does_what_the_page_says(
    page: Page, environment: dict[str, str], tmp_path: Path
) -> None:
    run_page(page, tmp_path, environment)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_code_escapes_the_test(page: Page) -> None:
    languages = {block.language for block in page.blocks}
    assert languages <= RUN | SHOWN, f"{name_of(page)} has blocks of {languages - RUN - SHOWN}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Page) -> None:
    text = CODE.sub("", page.path.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        place = (page.path.parent / path).resolve() if path else page.path
        assert place.exists(), f"{name_of(page)} links to {target}"
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place), f"{name_of(page)} links to {target}"


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as they are made on the web."""
    text = CODE.sub("", path.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return set(plain)


@pytest.mark.parametrize("name", [name_of(page) for page in PAGES if ".zh." in page.path.name])
def test_both_languages_say_the_same(name: str) -> None:
    pages = [ROOT / name.replace(".zh.", "."), ROOT / name]
    english, chinese = map(read_page, pages)
    for one, other in zip_longest(english.blocks, chinese.blocks):
        assert one is not None, other
        assert other is not None, one
        assert (one.language, one.remark) == (other.language, other.remark)
        if one.language in RUN:
            assert without_words(one.text) == without_words(other.text)
    first, second = (page.read_text(encoding="utf-8") for page in pages)
    assert len(re.findall(r"^#+ ", first, re.M)) == len(re.findall(r"^#+ ", second, re.M))
    assert links_of(first) == links_of(second)


def links_of(text: str) -> set[str]:
    """Where a page leads to, in whichever language; not to its own other language."""
    found = {target.partition("#")[0].replace(".zh.", ".") for target in LINK.findall(text)}
    return found - {"README.md", "tutorial.md"}


def without_words(code: str) -> str:
    """Code without comments and texts, which may be in either language."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', code)
    return "\n".join(re.sub(r"\s*#.*", "", line).rstrip() for line in bare.splitlines())


def test_every_page_is_reached_from_the_index() -> None:
    reached: set[Path] = set()
    todo = [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            place = (page.parent / target.partition("#")[0]).resolve()
            if place.suffix == ".md" and place.exists():
                todo.append(place)
    unreached = {name_of(page) for page in PAGES if page.path not in reached}
    assert not unreached


def test_the_generated_reference_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/build_reference.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_page_that_lies_is_caught(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('```python\nprint("one", 1.5)\n```\n\n```text\none …\n```\n')
    run_page(read_page(page), tmp_path, dict(os.environ))
    page.write_text('```python\nprint("one")\n```\n\n```text\ntwo\n```\n')
    with pytest.raises(AssertionError, match="this was printed"):
        run_page(read_page(page), tmp_path, dict(os.environ))
    page.write_text("```sh\nexit 3\n```\n")
    with pytest.raises(AssertionError, match="ends with 3"):
        run_page(read_page(page), tmp_path, dict(os.environ))
