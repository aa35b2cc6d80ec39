"""Exports of a certificate: the shapes that other tools read, and the facts in them."""

import base64
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assaymark.monitoring.cli.export import NAMES
from assaymark.monitoring.exports import FORMATS, read_exported


@pytest.fixture
def export(certified):
    """The content of an export, and the certificate it is of."""
    path = certified.project / "certificate.json"

    def run(form, *options):
        answer = certified.run("export", path, "--format", form, *options, "--json")
        assert answer.code == 0, answer.err
        return answer.json["content"], read_exported(path)

    return run


def test_the_command_offers_every_format() -> None:
    assert tuple(FORMATS) == NAMES


def test_in_toto_is_a_signed_test_result(certified, export, tmp_path) -> None:
    made = certified.run("key", tmp_path / "my.key", "--json").json
    envelope, certificate = export("in-toto", "--key", tmp_path / "my.key")
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    payload = base64.b64decode(envelope["payload"])
    (signature,) = envelope["signatures"]
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature["keyid"]))
    head = f"DSSEv1 28 {envelope['payloadType']} {len(payload)} ".encode()
    key.verify(base64.b64decode(signature["sig"]), head + payload)
    assert signature["keyid"] in made.values()
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert [subject["name"] for subject in statement["subject"]] == ["certificate.json"]
    assert statement["predicate"]["result"] == "PASSED"
    assert statement["predicate"]["passedTests"] == ["f1 >= 0.8"]
    (configuration,) = statement["predicate"]["configuration"]
    assert configuration["digest"]["sha256"] == certificate.fingerprint
    assert configuration["annotations"]["classifier.model"] == "sha256:11"


def test_in_toto_without_a_key_has_no_signature(export) -> None:
    assert export("in-toto")[0]["signatures"] == []


def test_cyclonedx_has_the_metric_with_its_interval(export) -> None:
    bom, certificate = export("cyclonedx")
    assert (bom["bomFormat"], bom["specVersion"], bom["version"]) == ("CycloneDX", "1.6", 1)
    (component,) = bom["components"]
    assert component["type"] == "machine-learning-model"
    (metric,) = component["modelCard"]["quantitativeAnalysis"]["performanceMetrics"]
    (figure,) = certificate.figures
    assert metric["type"] == "f1"
    assert float(metric["confidenceInterval"]["lowerBound"]) == figure.low
    assert float(metric["confidenceInterval"]["upperBound"]) == figure.high
    assert ("value" in metric) == (figure.point is not None)
    assert all(set(part) == {"name", "value"} for part in component["properties"])


def test_hugging_face_has_a_model_index(export) -> None:
    text, certificate = export("hf")
    low = json.dumps(certificate.figures[0].low)
    assert text.startswith('model-index:\n- name: "toxicity"\n  results:\n  - task:\n')
    assert '    - type: "f1_lower"\n      name: "F1, lower bound at 0.95"\n' in text
    assert f"      value: {low}\n" in text


def test_mlflow_has_lower_and_upper(export) -> None:
    found, certificate = export("mlflow")
    (figure,) = certificate.figures
    point = {} if figure.point is None else {"f1": figure.point}
    assert found["metrics"] == {
        **point, "f1_lower": figure.low, "f1_upper": figure.high, "f1_labels": figure.labels,
    }  # fmt: skip
    assert found["params"]["claim"] == "f1 >= 0.8"
    assert all(isinstance(value, str) for value in found["tags"].values())


def test_every_eval_ever_has_uncertainty(export) -> None:
    record, certificate = export("every-eval-ever")
    assert {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata",
            "model_info", "eval_library", "evaluation_results"} <= set(record)  # fmt: skip
    assert record["source_metadata"]["source_organization_name"] == "trust and safety"
    (result,) = record["evaluation_results"]
    assert {"evaluation_name", "source_data", "metric_config", "score_details"} == set(result)
    interval = result["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["lower"] == certificate.figures[0].low
    assert interval["confidence_level"] == 0.95


def test_the_same_certificate_gives_the_same_export(export) -> None:
    for form in NAMES:
        assert export(form) == export(form)


def test_what_is_refused(certified, tmp_path) -> None:
    path = certified.project / "certificate.json"
    assert certified.run("export", path, "--format", "yaml").code == 2
    refused = certified.run("export", path, "--format", "hf", "--key", tmp_path / "k")
    assert "carries no signature" in refused.err
    assert certified.run("export", tmp_path / "none.json", "--format", "hf").code == 2
    done = certified.run("export", path, "--format", "hf", "-o", tmp_path / "card.yaml")
    assert done.code == 0
    again = certified.run("export", path, "--format", "hf", "-o", tmp_path / "card.yaml")
    assert again.code == 2
    path.write_text(path.read_text(encoding="utf-8").replace("0.95", "0.96"), encoding="utf-8")
    assert certified.run("export", path, "--format", "hf").code == 1


def test_cyclonedx_keeps_to_its_public_schema(certified, tmp_path) -> None:
    """The strict validator of the CycloneDX package, with the schema that it carries."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    done = certified.run("export", certified.project / "certificate.json",
                         "--format", "cyclonedx", "-o", tmp_path / "bom.json")  # fmt: skip
    assert done.code == 0, done.err
    text = (tmp_path / "bom.json").read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text.replace("lowerBound", "low"))


def test_in_toto_keeps_to_the_published_messages(export) -> None:
    """Statement and predicate are read by the messages of the in-toto package; unknown fields fail."""
    import in_toto_attestation.predicates.test_result.v0.test_result_pb2 as test_result
    import in_toto_attestation.v1.statement_pb2 as message
    from google.protobuf import json_format
    from in_toto_attestation.v1.statement import Statement

    statement = json.loads(base64.b64decode(export("in-toto")[0]["payload"]))
    Statement.copy_from_pb(json_format.ParseDict(statement, message.Statement())).validate()
    result = json_format.ParseDict(statement["predicate"], test_result.TestResult())
    assert result.result == "PASSED"
    with pytest.raises(json_format.ParseError):
        json_format.ParseDict({"verdict": "PASSED"}, test_result.TestResult())


def test_every_eval_ever_says_unknown_where_the_schema_demands_an_answer(export) -> None:
    details = export("every-eval-ever")[0]["model_info"]["additional_details"]
    assert details["deployment_type"] == details["model_availability"] == "unknown"
    assert details["model"] == "sha256:11"
