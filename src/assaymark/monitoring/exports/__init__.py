"""A certificate in the formats that other tools read: facts of the certificate, and nothing else.

Each format is a function from an `Exported` certificate to text; `FORMATS` names them.
"""

from assaymark.monitoring.exports.cyclonedx import cyclonedx
from assaymark.monitoring.exports.every_eval_ever import every_eval_ever
from assaymark.monitoring.exports.facts import Exported, read_exported
from assaymark.monitoring.exports.hugging_face import hugging_face
from assaymark.monitoring.exports.in_toto import in_toto
from assaymark.monitoring.exports.mlflow import mlflow

FORMATS = {
    "in-toto": in_toto,
    "cyclonedx": cyclonedx,
    "hf": hugging_face,
    "mlflow": mlflow,
    "every-eval-ever": every_eval_ever,
}
