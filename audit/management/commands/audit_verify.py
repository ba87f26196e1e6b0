"""`manage.py audit_verify`: verifies the hash chain of the audit log, and prints its head."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit import anchor, chain
from audit.anchor import Head


class Command(BaseCommand):
    help = "Verify that no event of the audit log was changed, removed or moved. Exit code 1 if one was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--known",
            action="append",
            default=[],
            type=_head,
            metavar="NUMBER:DIGEST",
            help="A head that was written down elsewhere, as this command prints it; can be given several times.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = chain.verify(known=options["known"])
        self.stdout.write(f"head      {found.head}")
        self.stdout.write(f"anchored  {found.anchored} in {anchor.anchor_file()}")
        self.stdout.write(f"unsealed  {found.unsealed}")
        for sentence in found.faults:
            self.stdout.write(sentence)
        if found.fault_count:
            raise CommandError(f"The audit log is not intact; faults: {found.fault_count}.")
        self.stdout.write("The audit log is intact.")


def _head(text: str) -> Head:
    number, _, digest = text.partition(":")
    return Head(int(number), digest)
