"""What can go wrong, by whose fault. Every message is one sentence a user can act on."""


class AssayError(Exception):
    """Anything assay refuses to do, with the reason and what to do next."""

    exit_code = 2


class InputError(AssayError, ValueError):
    """A value, file or column that cannot be used as given."""


class PlanError(AssayError):
    """A step that the sealed plan, or the lack of one, does not allow."""


class LedgerError(AssayError):
    """The ledger cannot be opened or written."""


class EngineError(AssayError):
    """The pool's engine could not read or compute something."""


class VerificationError(AssayError):
    """Stored evidence that does not agree with itself or with what was claimed."""

    exit_code = 1
