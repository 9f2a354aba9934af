"""The options of the hot commands, read without Typer: importing it costs 4.9 bare starts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What an option takes: nothing, one value, a number, or a value each time it is given.
FLAG, VALUE, NUMBER, MANY = range(4)


def parse(
    arguments: list[str], options: Mapping[str, int], positional: str
) -> dict[str, object] | None:
    """Return the keyword arguments of a command, or None for what Typer has to deal with.

    ``options`` maps ``--name`` to what it takes; at most one ``positional``. Unknown options,
    missing values and all else that is wrong or unusual (``--help``, ``--name=value``) give None:
    then the same words go to the Typer application, which knows the same options.
    """
    values: dict[str, object] = {}
    operands: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word == "--":
            operands += rest
        elif word not in options:
            if word.startswith("-") and word != "-":
                return None
            operands.append(word)
        elif not _take(word, options[word], rest, values):
            return None
    if len(operands) > 1:
        return None
    if operands:
        values[positional] = operands[0]
    return values


def _take(option: str, kind: int, rest: Iterator[str], values: dict[str, object]) -> bool:
    """Put an option's value into ``values``; False when there is none that fits."""
    name = option[2:].replace("-", "_")
    if kind == FLAG:
        values[name] = True
        return True
    value = next(rest, "-")
    if value.startswith("-") or (kind == NUMBER and not _is_number(value)):
        return False
    if kind == MANY:
        values[name] = [*_list(values.get(name)), value]
    else:
        values[name] = int(value) if kind == NUMBER else value
    return True


def _is_number(value: str) -> bool:
    # int() also takes digits of other scripts, and of none more than 4,300.
    return value.isascii() and value.isdecimal() and len(value) < 100  # noqa: PLR2004


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
