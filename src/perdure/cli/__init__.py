"""The command `perdure`. Its modules load when it runs, so that `import perdure` stays light."""


def main() -> None:
    """Run the command line of this process, and exit."""
    from perdure.cli.program import run

    run()
