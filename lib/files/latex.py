"""Tables as LaTeX, for the package booktabs."""

from collections.abc import Iterable, Sequence

Value = str | float | int | None
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def latex_table(columns: Sequence[str], rows: Iterable[Sequence[Value]], *, caption: str, label: str) -> str:
    r"""A float with the rows; numbers stand to the right, shares and other fractions with three decimal places.

    >>> print(latex_table(["agent", "rate"], [["a_b", 0.5], ["c", None]], caption="50 %", label="tab:rates"))
    \begin{table}
      \centering
      \caption{50 \%}
      \label{tab:rates}
      \begin{tabular}{lr}
        \toprule
        agent & rate \\
        \midrule
        a\_b & 0.500 \\
        c & -- \\
        \bottomrule
      \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    found = [list(row) for row in rows]
    kinds = "".join("r" if _is_number(row[at] for row in found) else "l" for at in range(len(columns)))
    lines = [" & ".join(map(_cell, row)) + r" \\" for row in found]
    return "\n".join(
        [
            r"\begin{table}",
            r"  \centering",
            rf"  \caption{{{escaped(caption)}}}",
            rf"  \label{{{label}}}",
            rf"  \begin{{tabular}}{{{kinds}}}",
            r"    \toprule",
            "    " + " & ".join(map(escaped, columns)) + r" \\",
            r"    \midrule",
            *(f"    {line}" for line in lines),
            r"    \bottomrule",
            r"  \end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escaped(text: str) -> str:
    r"""The text without anything that LaTeX would run.

    >>> escaped(r"100 % of \input{x}")
    '100 \\% of \\textbackslash{}input\\{x\\}'
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in " ".join(text.split()))


def _is_number(values: Iterable[Value]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) for value in known)


def _cell(value: Value) -> str:
    if value is None or value == "":
        return "--"
    return f"{value:.3f}" if isinstance(value, float) else escaped(str(value))
