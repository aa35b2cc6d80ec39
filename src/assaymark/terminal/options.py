"""Options declared once: the parameters of a command say how they are spelled and what they are for."""

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

import click

from assaymark.terminal.output import DIRECTORY, FILE, PROJECT, remembered_project


@dataclass(frozen=True, eq=False)
class Declared:
    """What stands in place of a parameter's default: click makes an option or an argument of it."""

    made: Callable[[inspect.Parameter], click.Parameter]


def option(text: str | None, *names: str, **settings: Any) -> Any:
    """An option by its help; `--` and the parameter's name, unless others are given or not `long`.

    Its type, whether it is a flag, may be repeated or must be given follows from the annotation;
    `least` is the smallest whole number, and a `default` is shown.
    """

    def made(parameter: inspect.Parameter) -> click.Option:
        said = _of_annotation(parameter.annotation) | {"help": text, **settings}
        if "default" in said:
            said = {"show_default": True, **said, "required": False}
        if (least := said.pop("least", None)) is not None:
            said["type"] = click.IntRange(min=least)
        long = said.pop("long", True) and not any(name.startswith("--") for name in names)
        derived = (f"--{parameter.name.replace('_', '-')}",) if long else ()
        return click.Option([*names, *derived, parameter.name], **said)

    return Declared(made)


def argument(**settings: Any) -> Any:
    """An argument; it may be left out where the annotation says `None`."""

    def made(parameter: inspect.Parameter) -> click.Argument:
        said = _of_annotation(parameter.annotation) | settings
        many = said.pop("multiple", False)
        return click.Argument([parameter.name], nargs=-1 if many else 1, **said)

    return Declared(made)


def with_options(function: Callable[..., None]) -> Callable[..., None]:
    """The function as click calls it, with its declared options and arguments.

    A parameter that is annotated with a dataclass stands for the options that its fields declare.
    """
    parameters = inspect.signature(function).parameters.values()
    groups: dict[str, Any] = {
        one.name: one.annotation for one in parameters if is_dataclass(one.annotation)
    }

    @functools.wraps(function)
    def command(*context: Any, **values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        function(*context, **values)

    made = [parameter.default.made(parameter) for parameter in _declared(function)]
    vars(command)["__click_params__"] = made[::-1]  # click expects the last decorator first
    return command


def _declared(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    for parameter in inspect.signature(function).parameters.values():
        group: Any = parameter.annotation
        if isinstance(group, type) and is_dataclass(group):
            yield from _declared(group)
        elif isinstance(parameter.default, Declared):
            yield parameter


def _of_annotation(annotation: Any) -> dict[str, Any]:
    """What the annotation says of an option. One in quotation marks is a text, or says its type."""
    if isinstance(annotation, str):
        return {"required": not annotation.endswith("| None")}
    if get_origin(annotation) is tuple:
        return {"type": _click_type(get_args(annotation)[0]), "multiple": True}
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not NoneType]
    if kinds == [bool]:
        return {"is_flag": True}
    return {"type": _click_type(kinds[0]), "required": NoneType not in get_args(annotation)}


def _click_type(kind: type) -> Any:
    return FILE if kind is Path else kind


JSON = option("Print one JSON object.", "--json")
CONFIDENCE = option("How sure the statement is to be.", default=0.95)
FOLDER = option(
    f"Project folder (default: ${PROJECT}, else the current one).",
    "-p",
    "--project",
    type=DIRECTORY,
    default=Path(),
    show_default=False,
    envvar=PROJECT,
    callback=remembered_project,
)
CONNECTION = option(
    "Address for the engine; Spark's own default is $ASSAYMARK_SPARK.",
    "--connection",
    "--master",
    metavar="URL",
)
ENGINE = option("duckdb or spark: what reads the pool.", default="duckdb")
