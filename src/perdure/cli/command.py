"""Commands with the shared options, in a help that keeps the two apart."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from perdure.cli.invocation import Invocation
from perdure.cli.log import talk
from perdure.cli.wording import flags_of

SHARED = frozenset(field.name for field in fields(Invocation))


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None and value is not False and parameter.name is not None:
        setattr(context.ensure_object(Invocation), parameter.name, value)
        if parameter.name == "verbose":
            talk()


def _shared(*names: str, **settings: Any) -> click.Option:
    return click.Option(names, expose_value=False, callback=_keep, **settings)


def shared_options() -> list[click.Option]:
    """The options every command takes."""
    return [
        _shared(
            "--store",
            metavar="URL",
            help="A path, sqlite:///file.db, or postgresql://…  Without it PERDURE_URL, or a file "
            "in your data folder.",
        ),
        _shared("--user", metavar="NAME", help="Whose memories. Nobody else's are ever shown."),
        _shared("--agent", metavar="NAME", help="Narrow to what was stored with this agent."),
        _shared("--session", metavar="NAME", help="Narrow to one session."),
        _shared("--tenant", metavar="NAME", help="The tenant; users of two never meet."),
        _shared(
            "--embedder",
            metavar="NAME",
            help="local, hashing, openai:MODEL, off, or an installed plug-in's. Without it "
            "PERDURE_EMBEDDER, or local.",
        ),
        _shared("--json", is_flag=True, default=None, help="JSON on stdout instead of tables."),
        _shared("--verbose", "-v", is_flag=True, default=None, help="Log to stderr."),
    ]


class _SharedHelp(click.Command):
    """Lists the shared options apart from the command's own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own: list[tuple[str, str]] = []
        shared: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not isinstance(parameter, click.Argument):
                (shared if parameter.name in SHARED else own).append(record)
        for title, records in (("Options", own), ("Shared options", shared)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Command(_SharedHelp):
    """A command that takes the shared options too, unless it has its own of that name."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        own = {name for parameter in self.params for name in parameter.opts}
        self.params.extend(option for option in shared_options() if own.isdisjoint(option.opts))

    def invoke(self, ctx: click.Context) -> Any:
        ctx.ensure_object(Invocation).flags = flags_of(self)
        return super().invoke(ctx)


class Program(_SharedHelp, click.Group):
    """The program: commands by what they are for."""

    def __init__(self, *args: Any, endings: list[tuple[str, str]], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.extend(shared_options())
        self.topics: dict[str, list[str]] = {}
        self.endings = endings

    def gather(self, topic: str, *commands: click.Command) -> None:
        """Add commands under a heading of the help."""
        for command in commands:
            self.add_command(command)
            self.topics.setdefault(topic, []).append(str(command.name))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in self.topics.values() for name in names]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for topic, names in self.topics.items():
            with formatter.section(topic):
                formatter.write_dl(
                    [
                        (name.ljust(width), self.commands[name].get_short_help_str(60))
                        for name in names
                    ]
                )
        with formatter.section("Exit status"):
            formatter.write_dl(self.endings)
