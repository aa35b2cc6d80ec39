"""Label Studio as the front end: a project, its tasks, a hook back, and an export to catch up."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from assaymark.claims.canonical import read_json
from assaymark.errors import InputError
from assaymark.files.answers import ITEM
from assaymark.project.connections import checked_address

PATIENCE = 60.0
REFRESH = "/api/token/refresh/"
REFUSED = (
    " Make a personal access token in Label Studio under “Account & Settings”: new ones refuse legacy "
    "tokens."
)
LARGEST = 200_000_000  # bytes of an answer


@dataclass(frozen=True, kw_only=True)
class LabelStudio:
    """A server of Label Studio and the token of whoever uses it."""

    url: str
    token: str

    def create_project(self, title: str, columns: list[str], answers: Mapping[str, str]) -> int:
        """Call 1: a project whose question is named 'label'; answers as annotators read them."""
        config = label_config(columns, answers)
        reply = self._call("POST", "/api/projects/", {"title": title[:50], "label_config": config})
        return int(reply["id"])

    def import_tasks(self, project: int, items: list[dict[str, Any]]) -> int:
        """Call 2: the items as tasks; how many were taken."""
        tasks = [{"data": {ITEM: one["id"], **one["fields"]}} for one in items]
        reply = self._call("POST", f"/api/projects/{project}/import", tasks)
        return int(reply.get("task_count", len(tasks)))

    def add_hook(self, project: int, url: str, token: str) -> int:
        """Call 3: have every annotation sent to this address, with this token."""
        asked = {
            "url": checked_address(url),
            "project": project,
            "send_payload": True,
            "send_for_all_actions": False,
            "actions": ["ANNOTATION_CREATED", "ANNOTATION_UPDATED"],
            "headers": {"Authorization": f"Bearer {token}"},
            "is_active": True,
        }
        return int(self._call("POST", "/api/webhooks/", asked)["id"])

    def export(self, project: int) -> bytes:
        """Call 4: everything that was annotated, for what the hook missed."""
        return self._send("GET", f"/api/projects/{project}/export?exportType=JSON", None)

    def _call(self, method: str, path: str, asked: Any) -> Any:
        reply = self._send(method, path, asked)
        try:
            return read_json(reply)
        except ValueError as error:
            raise InputError("Label Studio's answer is not JSON. Is the address right?") from error

    def _authorization(self, path: str) -> dict[str, str]:
        """A legacy token as it is; a personal one (a JWT) is exchanged for one that is good for minutes."""
        if path == REFRESH:
            return {}
        if self.token.count(".") != 2:
            return {"authorization": f"Token {self.token}"}
        reply = self._call("POST", REFRESH, {"refresh": self.token})
        return {"authorization": f"Bearer {reply['access']}"}

    def _send(self, method: str, path: str, asked: Any) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - http and https only
            checked_address(self.url.rstrip("/") + path),
            method=method,
            data=None if asked is None else json.dumps(asked).encode(),
            headers={"content-type": "application/json", **self._authorization(path)},
        )
        try:
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(request, timeout=PATIENCE) as answer:
                content: bytes = answer.read(LARGEST)
                return content
        except urllib.error.HTTPError as error:
            text = error.read(300).decode("utf-8", "replace")
            hint = REFUSED if error.code == 401 else ""
            raise InputError(
                f"Label Studio answered {error.code} to {path}: {text}{hint}"
            ) from error
        except OSError as error:
            raise InputError(f"Label Studio does not answer at {self.url}: {error}.") from error


def label_config(columns: list[str], answers: Mapping[str, str]) -> str:
    """The labelling interface: every text column, and one choice named 'label'.

    Annotators read a choice's value; its alias is what Label Studio stores and sends back, so names
    that the lead changes later mislead nobody.

    >>> label_config(["body"], {"Refund": "relevant"})[111:160]
    '<Choice value="Refund" alias="relevant"/></Choice'
    """
    shown = columns or [ITEM]
    texts = "".join(
        f"<Text name={quoteattr(f'text-{place}')} value={quoteattr('$' + name)}/>"
        for place, name in enumerate(shown, start=1)
    )
    choices = "".join(
        f"<Choice value={quoteattr(name)} alias={quoteattr(meaning)}/>"
        for name, meaning in answers.items()
    )
    return (
        f'<View>{texts}<Choices name="label" toName="text-1" choice="single" required="true">{choices}'
        "</Choices></View>"
    )
