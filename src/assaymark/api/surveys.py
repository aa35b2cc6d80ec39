"""What estimates, pairs and training share: labels of a survey, ask and tell."""

from abc import abstractmethod
from collections.abc import Sequence

from assaymark.api.ask_tell import Answer, AskTell
from assaymark.ledger.events import SurveyWork
from assaymark.pool.reserve import load_texts
from assaymark.sampling.surveys import open_items


class SurveyAskTell(AskTell[Answer]):
    """A project whose items are those of a survey."""

    @abstractmethod
    def _work(self) -> SurveyWork | None:
        """The survey; None before its first item is drawn."""

    def _useful(self) -> int:
        return self._left()

    def _finished(self) -> bool:
        return not self._left() and not self._open()

    def _drawn(self) -> int:
        work = self._work()
        return 0 if work is None else len(work.order)

    def _open(self) -> Sequence[str]:
        work = self._work()
        return [] if work is None else open_items(self.project.state(), work)

    def _texts(self, ids: Sequence[str]) -> dict[str, dict[str, str]]:
        work = self._work()
        texts: dict[str, dict[str, str]] = {}
        for file in work.files if work else ():
            texts |= load_texts(
                self.folder / file.file, list(ids), work.survey.text if work else ()
            )
        return texts
