"""Twenty classes, and items with several labels, in real Chromium: from the claim to the certificate."""

from navigation import follow

from assaymark.project.folder import Project
from worlds_on_disk import write_csv

TAGS = ("food", "news", "sport")
READY = "() => document.querySelector('#item [data-text], #item p') && !document.querySelector('#deck').hidden"
NEXT = """(item) => !document.querySelector("#done").hidden
    || document.querySelector("#item-id").textContent !== item"""


def begun(assaymark, tmp_path, column, rows, *options):
    write_csv(tmp_path / "pool.csv", ["id", "body", column], rows)
    pool = ("--pool", tmp_path / "pool.csv", "--id", "id", "--text", "body")
    done = assaymark("init", tmp_path / "w", *pool, "--prediction", column, *options)
    assert done.code == 0, done.err
    return tmp_path / "w"


def sealed_on_the_page(page, words):
    """The claim by its words, clicked, and sealed."""
    follow(page, "nav >> text=Plan")
    for word in words:
        page.click(f'#words button[data-word="{word}"]')
    page.wait_for_selector("#claim-seal:enabled")
    page.click("#claim-seal")
    page.wait_for_selector("#claim-sealing[open]")
    assert page.text_content("#claim-sealing-words").startswith(" ".join(words))
    page.click("#claim-sealing button[value=yes]")
    page.wait_for_url("**/watch")


def labelled(page, answer, count):
    """So many items, each answered by keys."""
    follow(page, "nav >> text=Label")
    for _ in range(count):
        page.wait_for_function(READY)
        item = page.text_content("#item-id")
        answer(page.text_content("#item"))
        page.wait_for_function("() => document.querySelector('#saved').textContent === 'saved ✓'")
        page.wait_for_function(NEXT, arg=item)


def drawn(page):
    follow(page, "nav >> text=Progress")
    page.click("text=/Draw (the next|more) items/")


def test_twenty_classes_from_the_claim_to_the_certificate(serve, enter, assaymark, tmp_path):
    """Words are clicked, classes typed with their first letters; the certificate verifies."""
    names = [f"topic {chr(97 + n)}" for n in range(20)]
    rows = [
        (f"p{i}", f"about {names[i % 20]}", names[(i + (i % 50 == 1)) % 20]) for i in range(400)
    ]
    folder = begun(assaymark, tmp_path, "topic", rows, "--classes")
    with serve(folder) as server:
        page = enter(server)
        sealed_on_the_page(page, ["accuracy", ">= 0.7"])
        drawn(page)

        def typed(text):
            name = text.strip().removeprefix("about ").strip()
            if page.evaluate("document.activeElement.id") != "class-find":
                page.keyboard.press("t")  # the place to type is kept from item to item
            page.keyboard.type(name)
            page.wait_for_function(
                "(name) => document.querySelector('#class-first').textContent === `Enter: ${name}`",
                arg=name,
            )
            page.keyboard.press("Enter")

        waiting = len(Project(folder=folder).state().surveyed)
        labelled(page, typed, waiting)  # then all are labelled, or the page has drawn on by itself
        follow(page, "nav >> text=Progress")
        page.click("text=See what is proven")
        page.click("text=Issue the certificate")
        page.wait_for_selector("text=accuracy >= 0.7, with 95% confidence")
        assert page.faults == []
    state = Project(folder=folder).state()
    for item in list(state.answers)[:5]:
        assert state.value(state.label(item)) == names[int(item[1:]) % 20]
    assert assaymark("verify", folder / "certificate.json", "-p", folder).code == 0


def test_several_labels_are_chosen_by_keys(serve, enter, assaymark, tmp_path):
    """Keys choose a label and take it back, Enter saves the set; nothing chosen is none of the list."""
    sets = ["; ".join(tag for bit, tag in enumerate(TAGS) if i >> bit & 1) for i in range(8)]
    rows = [(f"p{i}", f"about {sets[i % 8]}.", sets[i % 8]) for i in range(200)]
    folder = begun(assaymark, tmp_path, "topics", rows, "--tags")
    plan = ("recall of every class >= 0.7", "--seed", "s", "-p", folder)
    assert assaymark("plan", *plan).code == 0
    assert assaymark("draw", "12", "-p", folder).code == 0
    with serve(folder) as server:
        page = enter(server)

        def chosen(text):
            page.keyboard.press("1")
            page.keyboard.press("1")  # chosen and taken back
            for place, tag in enumerate(TAGS, start=1):
                if tag in text:
                    page.keyboard.press(str(place))
            said = page.text_content("#set-name")
            assert said == (text.strip().removeprefix("about ").rstrip(".") or "none of the list")
            page.keyboard.press("Enter")

        labelled(page, chosen, 8)
        page.keyboard.press("u")
        page.wait_for_selector("#going-back:not([hidden])")
        again = page.text_content("#going-back strong")
        assert page.text_content("#set-name") == again
        page.screenshot(path=tmp_path / "tags.png")
        assert page.faults == []
    state = Project(folder=folder).state()
    assert len(state.answers) == 8
    for item in state.answers:
        expected = sets[int(item[1:]) % 8] or "none of the list"
        assert state.value(state.label(item)) == expected
