"""The lead's own names for the answers, in the sentences of page and report.

What is computed and sealed says "relevant" and "not relevant". Where the lead renamed the buttons,
readers meet those names instead: every sentence of ours passes here before it is shown. What people
wrote themselves (protocol, notes, reasons) never does.
"""

import re
from dataclasses import dataclass, replace

from assaymark.certification.view.dossier import Dossier
from assaymark.labelling.settings import Settings
from assaymark.records.agreement import Sensitivity
from assaymark.records.value import Value
from assaymark.reports.section import Section, Table

ANSWER = re.compile(r'"?\b(not relevant|relevant)\b"?')
USUAL = Settings()


@dataclass(frozen=True, kw_only=True)
class AnswerNames:
    """The names of the three answers; those that were not changed stay plain words."""

    relevant: str = USUAL.relevant
    not_relevant: str = USUAL.not_relevant
    cannot_tell: str = USUAL.cannot_tell

    @classmethod
    def of(cls, settings: Settings) -> "AnswerNames":
        """The names that the lead chose."""
        return cls(
            relevant=settings.relevant,
            not_relevant=settings.not_relevant,
            cannot_tell=settings.cannot_tell,
        )

    @property
    def usual(self) -> bool:
        """Whether nobody renamed an answer."""
        return self == AnswerNames()

    def answer(self, value: Value | None) -> str:
        """An answer by its name; a class has its own."""
        names: dict[Value | None, str] = {
            1: self.relevant,
            0: self.not_relevant,
            None: self.cannot_tell,
        }
        name = names.get(value, str(value))
        return name.lower() if self.usual else name

    def text(self, text: str) -> str:
        """A sentence of ours with the lead's names, quoted.

        >>> AnswerNames(relevant="Refund").text("the relevant items")
        'the “Refund” items'
        """
        if self.usual:
            return text
        names = {"relevant": self.relevant, "not relevant": self.not_relevant}
        return ANSWER.sub(lambda match: f"“{names[match[1]]}”", text)

    def section(self, section: Section) -> Section:
        """A section of ours: its sentences, and the heads of its rows and columns."""
        if self.usual:
            return section
        return replace(
            section,
            sentence=self.text(section.sentence),
            paragraphs=tuple(map(self.text, section.paragraphs)),
            tables=tuple(map(self._table, section.tables)),
        )

    def _table(self, table: Table) -> Table:
        heads = tuple(self._head(head) for head in table.header)
        rows = tuple((self._head(row[0]), *row[1:]) if row else row for row in table.rows)
        return replace(table, caption=self.text(table.caption), header=heads, rows=rows)

    def _head(self, head: str) -> str:
        return self.relevant if head == "relevant" else self.text(head)

    def dossier(self, dossier: Dossier) -> Dossier:
        """What is shown of a project, with the lead's names."""
        if self.usual:
            return dossier
        return replace(
            dossier,
            card=tuple(
                replace(number, definition=self.text(number.definition)) for number in dossier.card
            ),
            strata=tuple(
                replace(row, name=self.text(row.name), sentence=self.text(row.sentence))
                for row in dossier.strata
            ),
            sensitivity=self.sensitivity(dossier.sensitivity),
        )

    def sensitivity(self, sensitivity: Sensitivity | None) -> Sensitivity | None:
        """What wrong labels would do, by the names of the labels."""
        return (
            None
            if sensitivity is None
            else replace(sensitivity, sentence=self.text(sensitivity.sentence))
        )
