"""Hostile edits of certificates of several parts, and of the ledgers behind them.

The attacker of the ledger works hard: every hash of the chain is made again after the edit, and the
certificate names the new head. Only a head that was kept elsewhere tells more than these tests do.
"""

import copy
import itertools
import json
import shutil
from functools import lru_cache
from pathlib import Path

import pytest

from assaymark.claims.canonical import canonical, digest
from assaymark.composite import verification
from assaymark.composite.issuing import certificate_facts
from assaymark.composite.look_facts import written
from assaymark.composite.verification import check_ledger, read_facts, verify_claim
from assaymark.errors import AssaymarkError
from assaymark.ledger.events.chain import check_chain, seal
from assaymark.project.folder import Project

GOLDEN = Path(__file__).parents[1] / "data" / "golden_claims"
NAMES = (
    "classes",
    "comparison",
    "comparison-f1",
    "cut-off",
    "gap",
    "groups",
    "groups-named",
    "macro",
)
NOT_RECOMPUTED = {("issued",), ("software",)}
"""When and by which version it was issued: covered by the hash in the ledger alone."""


def leaves(value, path=()):
    """The places of all plain values."""
    if isinstance(value, dict):
        inside = [leaves(one, (*path, key)) for key, one in value.items()]
    elif isinstance(value, list) and value:
        inside = [leaves(one, (*path, place)) for place, one in enumerate(value)]
    else:
        return [path]
    return list(itertools.chain.from_iterable(inside))


def edits(value):
    """Other values of the same kind, and one of another."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, int | float):
        return [value + 1, value * 1.01 + 1e-9, str(value), None]
    if isinstance(value, str):
        return [value + "0", value[:-1], value.swapcase(), 0, None]
    return [[0], "x", 1]  # null, or an empty list


def edited(data, path, value):
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


def without(data, path):
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return data


def value_at(data, path):
    for key in path:
        data = data[key]
    return data


@lru_cache
def golden(name):
    entries = tuple(Project(folder=GOLDEN / name).ledger.entries())
    facts = json.loads((GOLDEN / name / "certificate.json").read_text(encoding="utf-8"))
    del facts["hash"]
    return entries, facts


@pytest.fixture
def once(monkeypatch):
    """What does not depend on the certificate's own facts is recomputed once, not for every edit."""
    monkeypatch.setattr(verification, "certificate_facts", lru_cache(_facts))
    for name in ("_seal", "_risk", "check_seed", "_chances", "_draws"):
        monkeypatch.setattr(verification, name, lambda *_: None)
    monkeypatch.setattr(verification, "replay", lru_cache(lambda entries: replay(list(entries))))


replay = verification.replay


def _facts(entries, survey, *, issued):
    return certificate_facts(list(entries), survey, issued=issued)


def refused(entries, facts):
    with pytest.raises((AssaymarkError, *verification.BREAKAGE)):
        check_ledger(entries, facts, [])


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_a_certificate_is_recomputed(name):
    """Each value replaced, each field taken away, with a hash that fits: none is believed."""
    entries, facts = golden(name)
    check_ledger(entries, facts, [])
    tried = 0
    for path in leaves(facts):
        if path in NOT_RECOMPUTED:
            continue
        value = value_at(facts, path)
        others = [edited(facts, path, other) for other in edits(value) if other != value]
        for changed in [*others, without(facts, path)]:
            tried += 1
            refused(entries, changed)
    for key in facts:
        if (key,) not in NOT_RECOMPUTED:
            refused(entries, {**facts, f"{key} ": facts[key]})
    assert tried > 100


@pytest.mark.parametrize("name", NAMES)
def test_no_byte_of_a_certificate_can_be_changed(name):
    """Every byte replaced, doubled and taken away; other spellings of the same JSON as well."""
    text = (GOLDEN / name / "certificate.json").read_text(encoding="utf-8")
    read_facts(text, [])
    same = json.loads(text)
    spellings = [
        json.dumps(same),
        json.dumps(same, indent=1),
        "\ufeff" + text,
        text + " ",
        "[]",
        "",
    ]
    spellings += [text.replace("\n", "\r\n"), text.rstrip("\n"), text.replace(":", ": ", 1)]
    spellings.append(text.replace('{"account"', '{"format":1,"account"', 1))
    changed = [one for one in spellings if one != text]
    step = max(1, len(text) // 400)
    for i in range(0, len(text), step):
        other = "1" if text[i] != "1" else "2"
        changed += [text[:i] + other + text[i + 1 :], text[:i] + text[i:][1:]]
        changed.append(text[: i + 1] + text[i:])
    for one in changed:
        with pytest.raises((AssaymarkError, ValueError, AttributeError)):
            read_facts(one, [])


def rechained(entries, place, body):
    """The ledger with another body of one event and every later hash made again."""
    made = list(entries[:place])
    for old in entries[place:]:
        text = body if old.seq == place + 1 else old.body
        made.append(seal(made[-1] if made else None, time=old.time, kind=old.kind, body=text))
    check_chain(made)
    return made


def with_head(facts, entries):
    ledger = facts["ledger"]
    return {**facts, "ledger": {**ledger, "head": entries[ledger["events"] - 1].hash}}


def shapes(paths):
    """One path of each shape: places in lists are alike, the first and the last are tried."""
    known = {}
    for path in paths:
        known.setdefault(tuple(k if isinstance(k, str) else 0 for k in path), []).append(path)
    return [one for group in known.values() for one in {group[0], group[-1]}]


FREE = {"name", "software", "text", "annotator", "seconds", "note", "batch", "file", "sha256"}
"""Told and not counted: names of strata, who answered, which columns and files people read."""


def attacked(name, kind, pick):
    """Edits of one event of this kind that `pick` chooses, each refused."""
    entries, facts = golden(name)
    within = entries[: facts["ledger"]["events"]]
    place = next(i for i, entry in enumerate(within) if entry.kind == kind and pick(entry))
    body = json.loads(entries[place].body)
    tried = 0
    for path in shapes(leaves(body)):
        if path[-1] in FREE and "statements" not in path:
            continue
        value = value_at(body, path)
        flipped = [1 - value] if kind == "LabelRecorded" and value in (0, 1) else []
        other = next(one for one in [*flipped, *edits(value)] if one != value)
        ledger = rechained(entries, place, canonical(edited(body, path, other)))
        tried += 1
        try:
            check_ledger(ledger, with_head(facts, ledger), [])
        except (AssaymarkError, *verification.BREAKAGE):
            continue
        yield path, other
    assert tried


@pytest.mark.slow
@pytest.mark.parametrize("name", ["groups", "comparison", "cut-off"])
def test_a_seal_that_was_edited_is_found(name):
    """Words, strata, level, columns, risk, seed: each value of the seal, the chain made again."""
    left = dict(attacked(name, "SurveyOpened", lambda _entry: True))
    assert left == {}


@pytest.mark.parametrize("kind", ["LabelRecorded", "SurveyDrawn", "SurveyReported"])
@pytest.mark.parametrize("name", ["groups", "comparison"])
def test_answers_draws_and_renewals_that_were_edited_are_found(name, kind):
    """The labels behind a certificate, the items drawn and the labels that chances came from."""
    left = [path for path, _ in attacked(name, kind, lambda _entry: True)]
    assert left == ([("labels",)] if kind == "SurveyReported" else [])  # repeats what is counted


@pytest.mark.parametrize("name", ["groups", "comparison", "cut-off"])
def test_the_last_look_that_was_edited_is_found(name):
    """The certificate follows from labels alone; status, page and gate repeat what the look says."""
    entries, _ = golden(name)
    last = max(entry.seq for entry in entries if verification.is_look(entry))
    left = [path for path, _ in attacked(name, "SurveyReported", lambda one: one.seq == last)]
    assert left == [("result", "event")]  # then nobody looked, which only a witness can refute


def test_a_look_before_the_last_label_is_judged_by_the_labels_of_its_time():
    """What was seen is not what would be seen now."""
    entries, _ = golden("groups")
    last = max(entry.seq for entry in entries if verification.is_look(entry))
    ended = list(entries[: last - 1])
    assert verification.check_last_looks(ended) == 1
    earlier = max(entry.seq for entry in ended if verification.is_look(entry))
    body = json.loads(entries[earlier - 1].body)
    body["result"]["parts"][0]["bound"] = 0.99
    with pytest.raises(AssaymarkError, match=rf"event {earlier} \(a look\) does not follow"):
        verification.check_last_looks(rechained(ended, earlier - 1, canonical(body)))


def test_a_certificate_of_another_project_is_refused(tmp_path):
    """Renumbered and rehashed it is still not the one that the ledger issued."""
    shutil.copy(GOLDEN / "pool.csv", tmp_path)
    folder = Path(shutil.copytree(GOLDEN / "groups", tmp_path / "work"))
    _, facts = golden("groups-named")
    (folder / "certificate.json").write_text(written(facts), encoding="utf-8")
    found = verify_claim(folder / "certificate.json", project=Project(folder=folder))
    assert found.status == "failed"
    _, own = golden("groups")
    later = {**own, "issued": "2031-01-01T00:00:00.000Z", "software": "9"}
    assert digest(later) != digest(own)
    (folder / "certificate.json").write_text(written(later), encoding="utf-8")
    found = verify_claim(folder / "certificate.json", project=Project(folder=folder))
    assert found.status == "failed"
    assert "its hash is not in the ledger" in found.checks[-1].detail
