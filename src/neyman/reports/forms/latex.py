"""A report in LaTeX: a document of its own that needs booktabs and no other package."""

from __future__ import annotations

import re

from neyman.numerics.exact.decimals import exactly
from neyman.profiles.effort import EFFORT
from neyman.reports.forms.markdown import attacks, bracket, numbers
from neyman.reports.said.document import Document
from neyman.reports.said.landmarks import scale_of
from neyman.reports.said.text import visible

__all__ = ["escaped", "render_latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
}  # fmt: skip
_LIGATURES = re.compile(r"([-,'?!])(?=[-,'`])")  # letters that would run together into others


def escaped(text: str) -> str:
    r"""Return text so that LaTeX prints it letter for letter, in one line.

    Examples
    --------
    >>> print(escaped(r"50 % of \input{x}"))
    50 \% of \textbackslash{}input\{x\}
    """
    apart = _LIGATURES.sub("\\1\0", " ".join(visible(text).split()))
    return "".join("{}" if letter == "\0" else _SPECIAL.get(letter, letter) for letter in apart)


def render_latex(document: Document) -> str:
    """Return ``document`` as LaTeX source in UTF-8."""
    d = document
    lines = [
        "% Needs the package booktabs, and a LaTeX of 2020 or later; letters beyond Latin need LuaLaTeX or XeLaTeX.",
        r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{booktabs}",
        r"\begin{document}",
        rf"\section*{{{escaped(d.title)}}}",
        *(f"{escaped(line)}\n" for line in d.context.splitlines() if line.strip()),
        f"One {escaped(d.unit)} is protected. {escaped(d.adjacency_meaning)}" + (f" Date: {d.date}." if d.date else ""),
        r"\subsection*{What to report}",
        rf"\textbf{{{escaped(d.verdict.headline)}}} {escaped(d.verdict.reason)}", "",
        r"\begin{center}\footnotesize", r"\begin{tabular}{llrl}", r"\toprule",
        r"promise & & report & certified bracket \\", r"\midrule",
        *(
            rf"{escaped(c.label)} & {c.side} & {escaped(c.text)} & {escaped(bracket(c))} \\"
            for c in numbers(d)
        ),
        r"\bottomrule", r"\end{tabular}", r"\end{center}",
        r"\subsection*{What an attacker can do}",
        *_items([c.sentence for c in attacks(d)]),
        r"\subsection*{What was run}",
        *_items([step.sentence for step in d.summary]),
        r"\subsection*{What must be true of the run}",
        *_items(d.assumptions),
        *([r"\subsection*{Beside what is known}", *_items([r.sentence for r in d.references])] if d.references else []),
        *_landmarks(d),
        r"\subsection*{Certificate}",
        "Every number is rounded to its safe side; the truth lies in the bracket beside it. "
        + escaped(
            f"Method: {d.certificate.method}; tolerance {exactly(d.certificate.tolerance)}; "
            + (f"effort {exactly(d.certificate.effort)}; " if d.certificate.effort != EFFORT else "")
            + f"neyman {d.certificate.neyman}, Python {d.certificate.python}, "
            f"NumPy {d.certificate.numpy}, SciPy {d.certificate.scipy}."
            + ("" if d.proof is None else f" {d.proof.words}; SHA-256 of the proof: {d.proof.sha256}.")
        ),
        rf"\par To verify the JSON or HTML form of this report: \texttt{{{_straight(escaped(d.verify))}}}",
        r"\subsection*{How to cite}",
        *_items(d.cite),
        r"\end{document}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _items(lines: list[str] | tuple[str, ...]) -> list[str]:
    return [r"\begin{itemize}", *(rf"\item{{}} {escaped(line)}" for line in lines), r"\end{itemize}"] if lines else []


def _landmarks(document: Document) -> list[str]:
    scale = scale_of(document)
    if scale is None:
        return []
    return [r"\subsection*{Where this lies}", *_items(scale.lines), escaped(scale.words)]


def _straight(text: str) -> str:
    """Quotes of a command, to be copied."""
    return text.replace("'", r"\textquotesingle{}")
