"""How hard sentences are to read: the grade of Flesch and Kincaid, and the sentences that workers read.

Grade = 0.39 words a sentence + 11.8 syllables a word − 15.59 (Kincaid, Fishburne, Rogers and Chissom, 1975).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEAST_WORDS = 3
"""Fewer words are a label, not a sentence."""
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(r"(?:[^laeiouy]es|ed|[^laeiouy]e)$")
_END = re.compile(r"(?<=[.!?:;…])\s+")
_CODE = re.compile(r"[{}<>=\\/_#]|\w\.\w|\bcalc\(|^\.|--")
_CLASSES = re.compile(r"[a-z0-9-]+(?: [a-z0-9-]+)*")
_SELECTOR = re.compile(r"\[[a-z-]+|\(prefers|\bexport\b|\breadonly\b")


def syllables(word: str) -> int:
    """About how many syllables a word has.

    >>> [syllables(word) for word in ("a", "tree", "marked", "agent", "instructions")]
    [1, 1, 1, 2, 3]
    """
    plain = word.lower().replace("’", "'").split("'")[0]
    bare = _SILENT.sub("", plain) if len(plain) > 3 and not plain.endswith(("ted", "ded")) else plain
    return max(1, len(_VOWELS.findall(bare)))


def sentences_in(text: str) -> list[str]:
    parts = [part.strip() for part in _END.split(" ".join(text.split()))]
    return [part for part in parts if len(_WORD.findall(part)) >= LEAST_WORDS]


def grade(sentences: list[str]) -> float:
    """The grade of school in which the sentences are read with ease."""
    words = [word for sentence in sentences for word in _WORD.findall(sentence)]
    return 0.39 * len(words) / len(sentences) + 11.8 * sum(map(syllables, words)) / len(words) - 15.59


def of_templates(folder: Path = ROOT / "templates" / "work") -> Iterator[tuple[str, str]]:
    """The sentences of the pages, each with its file."""
    for path in sorted(folder.glob("*.html")):
        html = re.sub(r"{#.*?#}", " ", path.read_text(), flags=re.DOTALL)
        said = re.findall(r'(?:data-confirm|aria-label|title)="([^"{}]+)"', html)
        # A tag of a block ends a sentence; a tag within one does not, nor does a figure of the template.
        html = re.sub(r"</?(?:p|h\d|li|div|section|summary|button|td|th|dt|dd|a|title|label)\b[^>]*>", " .\n", html)
        html = re.sub(r"{%.*?%}", " ", re.sub(r"{{.*?}}", "7", re.sub(r"<[^>]*>", " ", html)))
        said += re.split(r"\s\.\n", html)
        yield from ((path.name, sentence) for text in said for sentence in sentences_in(text))


def of_python(*paths: str) -> Iterator[tuple[str, str]]:
    """The sentences in strings of these modules, without docstrings, messages of errors in code, and names."""
    for name in paths:
        tree = ast.parse((ROOT / name).read_text())
        plain = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
                plain |= {id(part) for part in node.values}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in plain:
                text = node.value
            else:
                continue
            if text[:1].isupper():
                yield from ((name, sentence) for sentence in sentences_in(text))


def of_front_end(*folders: str) -> Iterator[tuple[str, str]]:
    """The sentences in strings, templates and elements of the worker's scripts."""
    for folder in folders:
        for path in sorted((ROOT / "frontend" / "src" / folder).rglob("*.ts*")):
            if path.name.endswith(".generated.ts"):
                continue
            code = re.sub(r"/\*.*?\*/|^\s*//.*$|^import .*?;$", " ", path.read_text(), flags=re.DOTALL | re.MULTILINE)
            said = [
                re.sub(r"\$\{[^}]*\}", "7", one) for one in re.findall(r'"([^"\n]+)"|`([^`]+)`', code) for one in one
            ]
            said += re.findall(r">([^<>{}=:;&()]+)<", code)
            for text in said:
                if not (_CODE.search(text) or _CLASSES.fullmatch(text) or _SELECTOR.search(text)):
                    yield from ((path.name, sentence) for sentence in sentences_in(text))
