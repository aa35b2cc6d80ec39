"""A stored project verifies for ever: new numbers, new words, and what the formats can hold."""

import base64
import json
from dataclasses import replace

import pytest

from assaymark.certification.certificate import issue, statement_of
from assaymark.certification.modes import words
from assaymark.certification.modes.prefix import labelled_prefix
from assaymark.certification.planning import compiled
from assaymark.certification.verification import verify
from assaymark.claims.language.grammar import parse
from assaymark.claims.ratio_metrics import DENOMINATORS, parse_claim
from assaymark.claims.record import restored, stored
from assaymark.errors import InputError, VerificationError
from assaymark.ledger.events import KINDS, check_story, read_event, replay
from assaymark.project.folder import Project
from assaymark.records import modes
from assaymark.records.plan import Plan, claim_of, claim_tree
from assaymark.records.pool import PoolSummary, RegisteredPool
from assaymark.stats import methods
from worlds_on_disk import write_labels


@pytest.fixture
def guided(assaymark, project, world, tmp_path):
    """A score-guided plan brought to a pass and certified."""
    assert assaymark("plan", "f1 >= 0.8", "--seed", "s", "-p", project).code == 0
    for number in range(40):
        drawn = assaymark("draw", 60, "-p", project, "--json").json["items"]
        write_labels(tmp_path / f"g{number}.csv", {i: world.truth[i] for i in drawn})
        assaymark("label", tmp_path / f"g{number}.csv", "-p", project)
        if assaymark("look", "-p", project, "--json").json["decision"] == "pass":
            break
    assert assaymark("certify", "-p", project).code == 0
    return project


def status(folder) -> str:
    return verify(folder / "certificate.json", project=Project(folder=folder)).status


def test_a_new_method_and_new_words_leave_a_stored_project_verifying(guided, monkeypatch) -> None:
    before = methods.row_method("betting/2")
    better = replace(before, recipe=replace(before.recipe, caution=0.03, least_margin=0.05))
    monkeypatch.setitem(methods.METHODS, "betting/3", replace(better, negative_cuts=(0.5, 0.1)))
    kind = modes.BY_DESIGN["anytime", "weighted"]
    newer = replace(kind, method="betting/3")
    monkeypatch.setitem(modes.BY_DESIGN, ("anytime", "weighted"), newer)
    monkeypatch.setitem(modes.OFFERED, kind.name, newer)
    monkeypatch.setattr(words, "PROTOCOL", "Something else is assumed.")
    monkeypatch.setattr(words, "sentence", lambda *_: "Quite another sentence.")
    monkeypatch.setattr(
        "assaymark.certification.certificate.words.sentence", lambda *_: "Another sentence."
    )
    found = verify(guided / "certificate.json", project=Project(folder=guided))
    assert found.status == "verified in part", found.checks  # nobody brought a witness
    assert found.statement == "Another sentence."


def test_a_changed_constant_under_the_old_number_is_noticed(guided, monkeypatch) -> None:
    """Otherwise the test above would prove nothing."""
    before = methods.row_method("betting/2")
    other = replace(before, recipe=replace(before.recipe, caution=0.03, least_margin=0.05))
    monkeypatch.setitem(methods.METHODS, "betting/2", other)
    assert status(guided) == "failed"


def test_a_method_that_is_not_known_is_named(guided, monkeypatch) -> None:
    monkeypatch.delitem(methods.METHODS, "betting/2")
    found = verify(guided / "certificate.json", project=Project(folder=guided))
    assert "'betting/2'" in found.checks[-1].detail


def test_a_certificate_holds_facts_and_the_words_follow(guided) -> None:
    text = (guided / "certificate.json").read_text()
    for word in (
        "statement",
        "reason",
        "title",
        "assumption",
        "advice",
        "expected",
        "confidence (",
    ):
        assert word not in text
    assert "null" not in text
    entries = Project(folder=guided).ledger.entries()
    state = replay(entries)
    certificate = issue(
        replay(entries[:-1]), plan=1, issued=entries[-1].time, software=json.loads(text)["software"]
    )
    prefix = labelled_prefix(state, state.attempts[0])
    assert f"({prefix.labels} labels, score-guided, 9 strata)" in statement_of(certificate)


def test_no_event_stores_null_or_a_sentence(guided) -> None:
    for entry in Project(folder=guided).ledger.entries():
        assert "null" not in entry.body
        event = read_event(entry.kind, entry.body)
        assert event.body() == entry.body
        with pytest.raises(VerificationError, match="knows no field 'unheard'"):
            read_event(entry.kind, entry.body[:-1] + ',"unheard":1}')


def test_pools_of_coming_kinds_can_be_stored_and_are_refused_with_one_sentence(guided) -> None:
    body = json.loads(Project(folder=guided).ledger.entries()[0].body)["pool"]
    assert restored(RegisteredPool, body).columns.threshold == 0.5
    assert set(body["predictions"]) == set(body["scores"]) == {"classifier"}
    assert [cell["predictions"] for cell in body["summary"]["cells"]] == [
        {"classifier": 1},
        {"classifier": 0},
    ]
    body["predictions"]["rival"] = {"column": "b"}
    with pytest.raises(InputError, match=r"several classifiers.*Install a newer"):
        restored(RegisteredPool, body)


def test_plans_of_coming_kinds_are_refused_with_one_sentence(guided) -> None:
    plan = Project(folder=guided).state().attempts[0].plan
    body = stored(plan)
    assert body["risk"] == {"confidence": "0.95", "level": "0.05", "share": "1", "account": "claim"}
    assert body["claim"]["tree"] == parse("f1 >= 0.8").to_json()
    assert restored(Plan, body) == plan
    for part, name, value in (("seed", "law", "lottery"), ("renewal", "law", "moon/1")):
        changed = {**body, part: {**body[part], name: value}}
        with pytest.raises(VerificationError, match=rf"{value}.*Install a newer"):
            restored(Plan, changed)


def test_answers_may_be_classes_which_this_version_refuses_to_count() -> None:
    event = read_event("LabelRecorded", '{"annotator":"a","item":"x","value":["b","c"]}')
    assert event.value == ("b", "c")
    with pytest.raises(VerificationError, match="counts labels 0 and 1"):
        _ = event.label
    assert read_event("LabelRecorded", '{"annotator":"a","item":"x"}').label is None


def test_known_labels_come_before_the_seal_or_by_review(guided) -> None:
    entries = Project(folder=guided).ledger.entries()
    known = KINDS["LabelKnown"].event(item="doc-00001", value=1, source="import")
    from assaymark.ledger.events import seal

    def chain(place: int, source: str):
        head = entries[:place]
        event = replace(known, source=source)
        return [*head, seal(head[-1], time=head[-1].time, kind=event.kind, body=event.body())]

    check_story(chain(1, "import"))
    assert replay(chain(1, "import")).known["doc-00001"].value == 1
    check_story(chain(3, "review"))
    with pytest.raises(VerificationError, match="a plan is open"):
        check_story(chain(3, "import"))


def test_rows_are_exact_and_trees_follow_the_metric() -> None:
    summary = PoolSummary(items=100, predicted_positive=20, predicted_negative=80)
    rows = compiled(parse_claim("f1 >= 0.7"), summary).to_json()["parts"][0]["rows"]
    assert rows[0]["gains"] == [[0, ["0", "13/10"]], [1, ["7/10", "0"]]]
    for name in ("f1", "f2", *DENOMINATORS):
        claim = parse_claim(f"{name} >= 0.5")
        assert claim_tree(claim) == parse(str(claim)).to_json()
        assert claim_of(claim_tree(claim)) == claim


def test_a_signature_is_an_envelope_that_others_can_read(assaymark, guided, tmp_path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    public = assaymark("key", tmp_path / "k.pem", "--json").json["public_key"]
    plain = (guided / "certificate.json").read_bytes()
    assert assaymark("certify", "--key", tmp_path / "k.pem", "-p", guided).code == 0
    assert (guided / "certificate.json").read_bytes() == plain
    envelope = json.loads((guided / "certificate.dsse.json").read_text())
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"]
    assert kind == "application/vnd.in-toto+json"
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    (signature,) = envelope["signatures"]
    assert signature["keyid"] == public
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
    key.verify(base64.b64decode(signature["sig"]), message)
    statement = json.loads(payload)
    assert statement["predicateType"] == "urn:assaymark:certificate:1"
    assert statement["predicate"] == json.loads(plain)
    checked = assaymark("verify", guided / "certificate.json", "--public-key", public, "--json")
    assert checked.code == 0, checked.out


def test_a_key_is_spelt_in_one_way(assaymark, guided, tmp_path) -> None:
    assaymark("key", tmp_path / "k.pem")
    assaymark("certify", "--key", tmp_path / "k.pem", "-p", guided)
    file = guided / "certificate.dsse.json"
    data = json.loads(file.read_text())
    key = data["signatures"][0]["keyid"]
    data["signatures"][0]["keyid"] = key.upper() if key.upper() != key else f"{key} "
    file.write_text(json.dumps(data))
    assert status(guided) == "failed"


@pytest.mark.parametrize("part", ["payload", "sig", "keyid"])
def test_a_changed_envelope_is_noticed(assaymark, guided, tmp_path, part) -> None:
    assaymark("key", tmp_path / "k.pem")
    assaymark("certify", "--key", tmp_path / "k.pem", "-p", guided)
    file = guided / "certificate.dsse.json"
    data = json.loads(file.read_text())
    holder = data if part == "payload" else data["signatures"][0]
    text = holder[part]
    holder[part] = text[:40] + ("A" if text[40] != "A" else "B") + text[41:]
    file.write_text(json.dumps(data))
    assert status(guided) == "failed"
