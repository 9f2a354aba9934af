"""The entry point: a hot command goes straight to its function, everything else to Typer."""

from __future__ import annotations

import gc
import os
import sys

from sessfzf.errors import SessfzfError
from sessfzf.streams import check, tell, write

# The hot commands and their modules.
_HOT = {"list": "listing", "grep": "grep", "plan": "plan", "preview": "preview"}


def main(argv: list[str] | None = None) -> int:
    """Run the command with these arguments (sys.argv's without), return the exit code.

    As the command that was started, a hot one does not return: it ends the process.
    """
    if argv is not None:
        return _run(argv)
    _use_utf8()
    code = _run(sys.argv[1:])
    if not gc.isenabled():
        # Nothing of a hot command is buffered or left to be cleaned up, and to take down the
        # interpreter costs a tenth of what starting it does.
        os._exit(code)
    return code


def _run(arguments: list[str]) -> int:
    try:
        check()
        return _dispatch(arguments)
    except SessfzfError as error:
        tell(error.message)
        return error.code
    except BrokenPipeError:
        return 0  # `sessfzf list | head -1`: the reader has had enough
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        tell(error.strerror or str(error))
        return 1


def _use_utf8() -> None:
    """Start anew in Python's UTF-8 mode where the locale says another encoding.

    Agents record UTF-8 whatever the locale, and paths of the stores go to the system by Python's.
    """
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        if os.isatty(0) and os.isatty(1):
            from sessfzf.resume import run as resume

            return resume(None)
        arguments = ["--help"]
    name = arguments[0]
    if name == "--demo":
        from sessfzf.demo import run as demo

        return demo(arguments[1:], _dispatch)
    if name in _HOT:
        # Nothing here lives long enough to be worth collecting, and with 10,000 sessions looking
        # for garbage takes a third of the time.
        gc.disable()
        from sessfzf.options import parse

        module = __import__(f"sessfzf.{_HOT[name]}", fromlist=("run",))
        values = parse(arguments[1:], module.OPTIONS, module.POSITIONAL)
        if values is not None and (name == "list" or module.POSITIONAL in values):
            code: int = module.run(**values)
            return code
    elif arguments == ["keys"]:
        from sessfzf.keys import run as keys

        return keys()
    elif name == "init" and _wrote_widget(arguments[1:]):
        return 0
    from sessfzf.cli import run

    return run(arguments)


def _wrote_widget(arguments: list[str]) -> bool:
    from sessfzf.shells import WIDGETS, init_script

    if len(arguments) != 1 or arguments[0] not in WIDGETS:
        return False
    write(init_script(arguments[0]))
    return True


if __name__ == "__main__":
    sys.exit(main())
