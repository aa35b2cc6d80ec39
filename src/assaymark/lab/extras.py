"""Packages that only the lab uses: loaded when needed, asked for by name when missing."""

from importlib import import_module
from typing import Any

from assaymark.errors import InputError


def extra(module: str, *, to: str) -> Any:
    """The module, or the sentence that says what it is for and how to get it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(
            f"To {to} the lab needs {module.split('.')[0]}, which is not installed. "
            "Install it with: pip install 'assaymark[lab]'."
        ) from error
