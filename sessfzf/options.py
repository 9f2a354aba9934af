"""The options of the hot commands, read without Typer (importing it costs 4.9 interpreter starts)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# What an option takes: nothing, one value, a number, or a value each time it is given.
FLAG, VALUE, NUMBER, MANY = range(4)


def parse(
    arguments: list[str], options: Mapping[str, int], positional: str
) -> dict[str, object] | None:
    """Return the keyword arguments of a command, or None for what Typer has to deal with.

    ``options`` maps ``--name`` to what it takes; at most one ``positional``. Unknown options, missing
    values and everything else that is wrong or unusual (``--help``, ``--name=value``) give None:
    then the same words go to the Typer application, which knows the same options.
    """
    values: dict[str, object] = {}
    rest = iter(arguments)
    for word in rest:
        kind = options.get(word)
        name = word[2:].replace("-", "_")
        if word == "--":
            operands = list(rest)
            if len(operands) > 1 or (operands and positional in values):
                return None
            if operands:
                values[positional] = operands[0]
        elif kind is None:
            if (word.startswith("-") and word != "-") or positional in values or not positional:
                return None
            values[positional] = word
        elif kind == FLAG:
            values[name] = True
        else:
            value = next(rest, None)
            if value is None or value.startswith("-"):
                return None
            if kind == VALUE:
                values[name] = value
            elif kind == MANY:
                known = values.setdefault(name, [])
                if isinstance(known, list):
                    known.append(value)
            elif value.isascii() and value.isdecimal():
                values[name] = int(value)
            else:
                return None
    return values
