"""Texts that are JSON on the labelling page: chats, pairs of records, anything else."""

import json
import re
from importlib.resources import files

import pytest

SCRIPT = (files("assaymark.web") / "static" / "layout.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def laid(browser):
    page = browser.new_page()
    page.set_content("<main></main>")
    page.add_script_tag(content=SCRIPT)

    def run(value):
        text = value if isinstance(value, str) else json.dumps(value)
        return page.evaluate("(text) => assaymarkLayout(text)?.outerHTML ?? null", text)

    yield run
    page.close()


def test_a_chat_is_shown_turn_by_turn_and_runs_no_markup(laid) -> None:
    chat = [
        {"role": "user", "content": "Hi <img src=x onerror=alert(1)>"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Hello"}],
            "tool_calls": [{"f": 1}],
        },
        {"role": "tool", "content": None},
    ]
    found = laid(chat)
    assert found.count('class="turn') == 3
    assert "<h3>assistant</h3>" in found
    assert "&lt;img" in found
    assert "<img" not in found
    assert "(empty)" in found


def test_two_records_stand_side_by_side_with_their_differences_marked(laid) -> None:
    found = laid({"left": {"name": "Jon Smith", "dob": "1990", "city": "York"},
                  "right": {"name": "John Smith", "dob": "", "city": "York"}})  # fmt: skip
    assert found.startswith('<table class="pair-of-records">')
    assert '<b data-text="" dir="auto">h</b>' in found  # "find" looks there too
    assert re.sub("<[^>]+>", "", found).count("John Smith") == 1
    assert ">missing</td>" in found
    assert "<th></th>" not in found  # readers of the screen hear what each column is
    assert found.count('aria-label="different"') == 2
    assert found.count('aria-label="the same"') == 1


def test_other_json_is_indented_and_other_text_is_left_alone(laid) -> None:
    assert '{\n  "a": [\n    1\n  ]\n}' in laid({"a": [1]})
    for text in ("plain", "[not json", "3", ""):
        assert laid(text) is None


def test_a_column_keeps_its_place_and_an_address_beside_the_text_is_a_link(browser) -> None:
    """A short text of a column whose other texts are long stood beside the item, where notes stand."""
    page = browser.new_page()
    page.set_content("<main></main>")
    page.add_script_tag(content=SCRIPT)
    script = files("assaymark.web") / "static" / "item.js"
    page.add_script_tag(content=script.read_text(encoding="utf-8"))

    def shown(body: str) -> str:
        fields = [
            {"name": "title", "text": "A ticket"},
            {"name": "body", "text": body},
            {"name": "page", "text": "https://example.org/1"},
            {"name": "odd", "text": "javascript:alert(1)"},
        ]
        script = "(fields) => assaymarkItem(fields).map((one) => one.outerHTML).join('')"
        return page.evaluate(script, fields)

    long, short = shown("word " * 60), shown("brief")
    assert [text.count("<dt>") for text in (long, short)] == [2, 2]
    assert "<h2>body</h2>" in short
    assert (
        '<a href="https://example.org/1" rel="noopener noreferrer nofollow" target="_blank"'
        in short
    )
    assert "javascript:alert(1)</span>" in short
    page.close()


def test_the_main_text_is_never_beside_a_heading_and_no_field_below_it_becomes_one(browser) -> None:
    """A short body stood in small letters beside its title; a field after a chat became its heading."""
    page = browser.new_page()
    page.set_content("<main></main>")
    page.add_script_tag(content=SCRIPT)
    script = files("assaymark.web") / "static" / "item.js"
    page.add_script_tag(content=script.read_text(encoding="utf-8"))
    shown = "(fields) => assaymarkItem(fields).map((one) => one.outerHTML).join('')"
    mail = [
        {"name": "subject", "text": "Thanks", "main": False},
        {"name": "body", "text": "Short.", "main": True},
        {"name": "customer", "text": "Acme", "main": False},
    ]
    found = page.evaluate(shown, mail)
    assert found.index("<h2>subject</h2>") < found.index("<h2>body</h2>")
    assert "<dt>customer</dt>" in found
    chat = [{"name": "talk", "text": '[{"role": "user", "content": "Hi"}]', "main": True}, mail[2]]
    found = page.evaluate(shown, chat)
    assert "<dt>customer</dt>" in found
    assert "<h2>customer</h2>" not in found
    page.close()


def test_what_is_tapped_on_a_phone_is_large_enough_for_a_finger(browser) -> None:
    """Ticks of 13 pixels and links of 17: WCAG 2.2 asks for 24, or room around."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_content(
        '<main><label class="check"><input type="checkbox"> a</label><h2><a href="#">1</a></h2>'
        '<table class="list stack"><tbody><tr><th><a href="#">65</a></th></tr></tbody></table>'
        "<details><summary>More</summary></details></main>"
    )
    page.add_style_tag(content=(files("assaymark.web") / "static" / "page.css").read_text("utf-8"))
    heights = {
        name: page.locator(name).bounding_box()["height"]
        for name in ("label.check", "h2 a", "th a", "summary")
    }
    assert {name: height for name, height in heights.items() if height < 24} == {}
    assert page.locator("input").bounding_box()["width"] == 20
    page.close()
