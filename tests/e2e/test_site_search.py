"""The documentation site is searched from a disk, without a server and without a network."""

from pathlib import Path

import pytest

from site_on_disk import build_site

pytest.importorskip("material", reason="mkdocs-material builds the site")


def test_the_search_finds_pages_from_a_disk(browser, tmp_path: Path) -> None:
    page = browser.new_page()
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto((build_site(tmp_path) / "how-to" / "compare.html").as_uri())
    page.wait_for_load_state("load")
    page.keyboard.press("/")  # opens the search; what is filled in without keys starts nothing
    page.wait_for_selector(".md-search__input:focus", timeout=120_000)
    page.keyboard.type("sentinel")
    page.wait_for_selector(".md-search-result__item a[href*='is-it-still-true']", timeout=120_000)
    assert failed == []
    page.close()
