"""Groups of commands whose help tells each command's whole first sentence, on a narrow screen too."""

import click

LONGEST = 200  # characters of a sentence in a list of commands


class WholeSentences(click.Group):
    """A group that lists its commands without cutting their sentences off."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their order."""
        known = [(name, self.commands[name]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(n, c.get_short_help_str(limit=LONGEST)) for n, c in known])
