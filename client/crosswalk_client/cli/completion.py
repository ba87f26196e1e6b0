"""`crosswalk completion`: the completion of commands and options in bash, zsh and fish, made from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from crosswalk_client.cli.common import Subparsers
from crosswalk_client.cli.output import write

BASH = """_crosswalk() {
  local words="${COMP_WORDS[*]:1:COMP_CWORD-1}" found=""
  case "$words" in
%s
  esac
  COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
  [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o filenames -F _crosswalk crosswalk"""
SHELLS = ("bash", "zsh", "fish")


def add_to(commands: Subparsers, whole: argparse.ArgumentParser) -> None:
    made = commands.add_parser(
        "completion",
        help="write what lets a shell complete commands and options",
        epilog='Examples: bash, zsh: eval "$(crosswalk completion bash)"; fish: crosswalk completion fish | source',
    )
    made.add_argument("shell", choices=SHELLS, help="the shell that you use")
    made.set_defaults(run=lambda asked: _completion(asked.shell, whole), json=False)


def _completion(shell: str, whole: argparse.ArgumentParser) -> int:
    write(_fish(whole) if shell == "fish" else _bash(whole, is_zsh=shell == "zsh"))
    return 0


def _bash(whole: argparse.ArgumentParser, *, is_zsh: bool) -> str:
    # Longer commands first: `suite pull` begins with `suite`.
    found = sorted(words_of(whole), key=lambda one: -len(one[0]))
    cases = [f'    "{" ".join(path)}"*) found="{" ".join(words)}" ;;' for path, words in found if path]
    cases += [f'    *) found="{" ".join(words)}" ;;' for path, words in found if not path]
    script = BASH % "\n".join(cases)
    return f"autoload -U +X bashcompinit && bashcompinit\n{script}" if is_zsh else script


def _fish(whole: argparse.ArgumentParser) -> str:
    lines = []
    for path, words in words_of(whole):
        seen = " and ".join(f"__fish_seen_subcommand_from {word}" for word in path).replace(" and ", "; and ")
        condition = f"-n '{seen}'" if path else "-n __fish_use_subcommand"
        for word in words:
            kind = f"-l {word[2:]}" if word.startswith("--") else f"-a {word}"
            lines.append(f"complete -c crosswalk {condition} {kind}")
    return "\n".join(lines)


def words_of(
    parser: argparse.ArgumentParser, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """For each command, as the words that lead to it, what may follow."""
    inside: dict[str, argparse.ArgumentParser] = {}
    words: list[str] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            inside = dict(action.choices)
        elif not action.option_strings and action.choices:
            words += [str(choice) for choice in action.choices]
        words += [option for option in action.option_strings if option.startswith("--")]
    yield path, [*inside, *words]
    for name, child in inside.items():
        yield from words_of(child, (*path, name))
