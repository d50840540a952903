"""The command line: one file a command; each parses, calls one function, prints."""

from __future__ import annotations

import io
import logging
import os
import sys
import warnings

import click

import permutopic
from permutopic.errors import InputError, InputWarning, Message, render

_COMMANDS = {
    "align": "Show which units of documents belong together.",
    "check": "Say what is missing, misplaced or unusual in documents.",
    "choose-k": "Find out how many topics a corpus has.",
    "compare": "Score our model and its rivals on one corpus.",
    "demo": "Learn the outline of 64 articles that come with permutopic, and check it.",
    "evaluate": "Fit a corpus and score the result against its headings.",
    "fit": "Learn the shared outline of a corpus and save the model.",
    "info": "Show versions, the processor, and where compiled code is kept.",
    "inspect": "Show what would be read, and what a fit would cost.",
    "merge": "Make topics of a saved model one.",
    "order": "Put loose pieces into the order of a saved model.",
    "outline": "Show the canonical outline of a saved model.",
    "predict": "Give every unit of new documents its topic.",
    "rename": "Give topics of a saved model other names.",
    "run": "Assign each unit of a corpus a topic by a method of your choice.",
    "segment": "Cut documents into segments of one topic each.",
    "warm-up": "Compile everything in advance, for container images and CI.",
}


class _Commands(click.Group):
    """Imports a command when it is called, so that --help does not import them all."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in _COMMANDS:
            return None
        from importlib import import_module

        module = name.replace("-", "_")
        command = getattr(import_module(f"permutopic.cli.{module}"), f"{module}_command")
        return command if isinstance(command, click.Command) else None

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; an error of the library names its parameters by the command's options."""
        try:
            return super().invoke(ctx)
        except InputError as error:
            from permutopic.cli.options import names_in

            command = self.get_command(ctx, str(ctx.invoked_subcommand))
            raise InputError(error.message.render(names_in(command))) from None

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(permutopic.__version__, prog_name="permutopic")
def command_line() -> None:
    """Learn the shared outline of a pile of documents of one kind."""


def main() -> None:
    """Run the command line; what is wrong with the input is one line and exit code 2."""
    warnings.showwarning = _show_warning
    logging.getLogger("permutopic").addHandler(_LogHandler())
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show ρ shows ?
    sys.exit(_run())


def _run() -> int:
    try:
        code = command_line.main(prog_name="permutopic", standalone_mode=False) or 0
        sys.stdout.flush()
        return int(code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
    except click.ClickException as error:
        _complain("error", error.format_message())
    except InputError as error:
        _complain("error", str(error))
    except (KeyboardInterrupt, click.Abort):
        _complain("stopped", "interrupted; nothing was written")
        return 130
    except MemoryError:
        _complain("error", "not enough memory: take a smaller K, or shorter documents")
    except BrokenPipeError:
        _silence_output()
        return 1
    except OSError as error:
        _silence_output()
        _complain("error", f"cannot write the output ({error.strerror or error})")
    return 2


def _silence_output() -> None:
    """Redirect standard output to nowhere, so that Python does not fail again when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(kind: str, message: str) -> None:
    click.echo(f"permutopic: {kind}: {' '.join(message.split())}", err=True)


class _LogHandler(logging.Handler):
    """Shows log records of the library in the form of all other messages."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.msg if isinstance(record.msg, Message) else record.getMessage()
        _complain("note", _with_options(text))


def _with_options(text: str) -> str:
    """Render a message with the names of the running command's options."""
    from permutopic.cli.options import current_names

    return render(text, current_names())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,  # noqa: ARG001
    line: str | None = None,
) -> None:
    if isinstance(message, InputWarning):
        _complain("warning", _with_options(message.message))
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True)
