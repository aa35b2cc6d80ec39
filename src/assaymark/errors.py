"""What can go wrong, by whose fault. Every message is one sentence a user can act on."""

from assaymark.hints import for_python


class AssaymarkError(Exception):
    """Anything assaymark refuses to do, with the reason and what to do next."""

    exit_code = 2

    def __str__(self) -> str:
        return for_python(self.message)

    @property
    def message(self) -> str:
        """The sentence with its hints as data: the command line and the page spell them themselves."""
        return super().__str__()


def message_of(error: BaseException) -> str:
    """What an error says, for another sentence to quote: with hints as data where it is one of ours."""
    return error.message if isinstance(error, AssaymarkError) else str(error)


class InputError(AssaymarkError, ValueError):
    """A value, file or column that cannot be used as given."""


class PlanError(AssaymarkError):
    """A step that the sealed plan, or the lack of one, does not allow."""


class LedgerError(AssaymarkError):
    """The ledger cannot be opened or written."""


class ConflictError(AssaymarkError):
    """An answer that does not fit what was recorded meanwhile. Nothing was recorded."""


class EngineError(AssaymarkError):
    """The pool's engine could not read or compute something."""


class VerificationError(AssaymarkError):
    """Stored evidence that does not agree with itself or with what was claimed."""

    exit_code = 1
