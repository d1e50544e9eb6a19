"""Entry point of ``cfe-local``: finds the verb, runs it, turns errors into messages and exit codes.

Verbs are imported only when they are called, so that ``--help`` costs no heavy import.
"""

from __future__ import annotations

import importlib
import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from cfe_local.errors import CfeError

LOG = logging.getLogger("cfe_local")
VERBS = {
    "run": ("cfe_local.cli.run", "run", "Run an experiment: generate, grade, report. Resumes what is there."),
    "generate": ("cfe_local.cli.run", "generate", "Only generate responses."),
    "grade": ("cfe_local.cli.grade", "grade", "Grade finished runs, one judge load for all."),
    "rubric": ("cfe_local.cli.assess", "rubric", "Points by rubric: design rubrics, mark answers."),
    "errors": ("cfe_local.cli.assess", "errors", "Kinds of error in answers, and their arithmetic checked."),
    "sweep": ("cfe_local.cli.sweep", "sweep", "Many models, benchmarks and settings; one judge load for all."),
    "status": ("cfe_local.cli.sweep", "status", "How far a run or a sweep is, from another shell."),
    "merge": ("cfe_local.cli.merge", "merge", "Join the shards of one run."),
    "report": ("cfe_local.cli.report", "report", "Measure and write the report of a graded run again."),
    "compare": ("cfe_local.cli.compare", "compare", "Compare graded runs: differences, tests, where they differ."),
    "export": ("cfe_local.cli.report", "export", "Write a run in other tools' formats."),
    "review": ("cfe_local.cli.review", "review", "A page for looking at responses and labelling them."),
    "agreement": ("cfe_local.cli.review", "agreement", "How far reviewers agree, and the judge with them."),
    "judge-exam": ("cfe_local.cli.judge_exam", "judge_exam", "Examine a judge on labelled responses."),
    "query": ("cfe_local.cli.query", "query", "Ask a run questions in SQL."),
    "doctor": ("cfe_local.cli.doctor", "doctor", "Look for what would stop or spoil a run, before it starts."),
    "bundle": ("cfe_local.cli.bundle", "bundle", "Gather all that runs need on a node that reaches nothing."),
    "validate": ("cfe_local.cli.benchmarks", "validate", "Check a benchmark folder."),
    "verify": ("cfe_local.cli.verify", "verify", "Compare pairs of values."),
    "models": ("cfe_local.cli.models", "models", "List and prepare the embedded models."),
}
"""Verb to (module, attribute, one line of help)."""


class LazyGroup(click.Group):
    """A group whose verbs are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs in the order of the table."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one verb; None for an unknown one, which click reports with the nearest name."""
        del ctx
        if cmd_name not in VERBS:
            return None
        module, attribute, _ = VERBS[cmd_name]
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}.{attribute} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        del ctx
        with formatter.section("Verbs"):
            formatter.write_dl([(name, text) for name, (_, _, text) in VERBS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="cfe-local")
def cli() -> None:
    """Run and diagnose CFE-Bench on open-weight models, with a local judge and no external API."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and exit with its code; user errors print without a traceback."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        result = cli.main(args=arguments, standalone_mode=False)
    except CfeError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except BrokenPipeError:
        _leave_closed_pipe()
    except OSError as error:  # what no stage foresaw is still about a file or a device, and its owner can repair it
        LOG.debug("unforeseen system error", exc_info=True)
        click.echo(f"error: {_system_error(error)}", err=True)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted; what had finished is on disk. The same command goes on from there.", err=True)
        sys.exit(130)
    sys.exit(result if isinstance(result, int) else 0)


def _system_error(error: OSError) -> str:
    said = error.strerror or str(error) or type(error).__name__
    where = f"{str(error.filename)[:200]}: " if error.filename else ""
    return f"{where}{said}\nFix: check that the path exists, can be read and written, and that the disk has room."


def _leave_closed_pipe() -> NoReturn:
    """End as a program that the closing reader stopped; the interpreter must not complain when it flushes."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    sys.exit(128 + signal.SIGPIPE)


if __name__ == "__main__":
    main()
