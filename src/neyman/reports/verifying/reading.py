"""Reports read without trust: size, encoding, depth, duplicate keys, unknown fields and numbers that are none."""

from __future__ import annotations

import json
import math
import os
import re
import reprlib
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from neyman._errors import InvalidParameter, MissingPackage
from neyman.guarantees import mechanism_from_dict
from neyman.mechanisms import Mechanism
from neyman.numerics.exact.decimals import spelled
from neyman.reports.forms.block import block_of
from neyman.reports.said.claims import Claim
from neyman.reports.said.document import Certificate, Document, Reference, Seal, StepWords, Verdict
from neyman.reports.said.quantities import checked
from neyman.reports.said.text import checked_text, visible
from neyman.reports.verifying.altered import altered

if TYPE_CHECKING:
    from neyman.reports.verifying.model import ClaimModel, DocumentModel

__all__ = ["LARGEST_HTML", "LARGEST_JSON", "Found", "json_schema", "read"]

LARGEST_JSON, LARGEST_HTML = 10**6, 5 * 10**6  # bytes
_DEEPEST = 80  # a mechanism is nested at most 64 deep
_DIGITS = 40  # of a whole number
_LONGEST = 400  # of any number
_WAY = "Of a guarantee or a mechanism: ny.verify(ny.report(g).to_dict())."


@dataclass(frozen=True, slots=True)
class Found:
    """What a file holds: its JSON form, checked in shape and size, the claims in it, the page around it, if any, and
    the text of the data.

    Nothing in it was computed with: building the mechanism alone can take long, where somebody wants it to.
    """

    data: dict[str, Any]
    model: DocumentModel
    claims: tuple[Claim, ...]
    page: str
    text: str

    def document(self) -> Document:
        """Build the document that is stated.

        Raises
        ------
        InvalidParameter
            If the mechanism is none.
        """
        return _document(self.model, self.claims)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of the JSON form of reports.

    Examples
    --------
    >>> json_schema()["title"]
    'A report of neyman, version 1'
    """
    schema: dict[str, Any] = json.loads(files("neyman.reports.verifying").joinpath("schema-1.json").read_text("utf-8"))
    return schema


def read(source: object) -> Found:
    """Read a report.

    Parameters
    ----------
    source : str, path or dict
        Path of a .json, .html or .htm file, "-" for standard input, the text of one, or the JSON form as a dict.

    Raises
    ------
    InvalidParameter
        If it cannot be read, or is no report; ``Altered`` if it is one but for what was done to it.
    MissingPackage
        If pydantic is not installed.
    """
    text = _text(_as_json(cast("Mapping[str, Any]", source)) if isinstance(source, Mapping) else source)
    page = text if text.lstrip(_BLANK).startswith("<") else ""
    data = block_of(page) if page else text
    try:
        return _found(_parsed(data), data, page)
    except InvalidParameter as refused:
        raise altered(refused, data) from None


def _as_json(data: Mapping[str, Any]) -> str:
    """The dict as the file that it stands for, so that it is read as one."""
    try:
        return json.dumps(dict(data))
    except (TypeError, ValueError, RecursionError):
        raise _refused("this dict", "made of what JSON knows, and no deeper than a report") from None


def _text(source: object) -> str:
    forms = tuple(_FORMS.values())
    if isinstance(source, str) and source.lstrip(f"\ufeff{_BLANK}")[:1] in ("{", "<"):
        content = source.encode("utf-8", "surrogatepass")
        name = "text"
    elif isinstance(source, (str, Path)):
        name = str(source)
        forms = forms if name == "-" else (_form(name),)
        content = _bytes(name)
    else:
        raise InvalidParameter("report", source, "a path, the text of a report, or its JSON form as a dict", _WAY)
    if content.startswith(_MARK):
        raise _refused(name, "text in UTF-8 without a byte order mark")
    form = "page" if content.lstrip(_BLANK.encode()).startswith(b"<") else "JSON"
    most = LARGEST_HTML if form == "page" else LARGEST_JSON
    if not len(content) <= most:
        raise _refused(name, f"at most {most // 10**6} MB long")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(name, "text in UTF-8", f"Byte {error.start} is not.") from None
    if form not in forms and text.strip(_BLANK):
        advice = "What programs show of a file depends on its name."
        raise _refused(name, ".html or .htm if it is a page, .json if it is JSON", advice)
    return text


_BLANK = " \t\r\n"
_MARK = b"\xef\xbb\xbf"
_FORMS = {".json": "JSON", ".html": "page", ".htm": "page"}


def _form(name: str) -> str:
    """What a file of this name is shown as: JSON can hold what a browser, told that it is a page, would show as one."""
    suffix = Path(name).suffix.lower()
    if suffix in _FORMS or not Path(name).is_file():  # what is no file is refused as that
        return _FORMS.get(suffix, "")
    advice = "Markdown and LaTeX reports hold no data to verify." if suffix in (".md", ".tex") else ""
    raise _refused(name, f"a file that ends in {', '.join(_FORMS)}", advice)


def _bytes(name: str) -> bytes:
    """Never more than what is allowed, and never a wait: devices and pipes can be endless, or silent for ever."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(LARGEST_HTML + 1)
        number = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        try:
            found = os.fstat(number)
            regular, small = stat.S_ISREG(found.st_mode), found.st_size <= LARGEST_HTML
            content = b""
            if regular and small:
                with os.fdopen(number, "rb", closefd=False) as file:
                    content = file.read(LARGEST_HTML + 1)
        finally:
            os.close(number)
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        advice = f"{error.strerror}." if isinstance(error, OSError) else ""
        raise _refused(name, "a file that can be read", advice) from None
    if not regular:
        raise _refused(name, "a file, at most 5 MB long, and no folder, pipe or device", "- reads standard input.")
    if not small:
        raise _refused(name, f"at most {LARGEST_HTML // 10**6} MB long", f"It has {found.st_size:,} bytes.")
    return content


def _parsed(text: str) -> dict[str, Any]:
    try:
        data: object = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_no_constant, parse_int=_whole, parse_float=_number
        )
    except RecursionError:
        raise _refused("this file", "not nested this deep") from None
    except json.JSONDecodeError as error:
        place = f"Line {error.lineno}, column {error.colno}: {error.msg}."
        raise _refused("this file", "valid JSON", place) from None
    except _Unwanted as error:
        raise _refused("this file", "valid JSON", str(error)) from None
    if not isinstance(data, dict):
        raise _refused("this file", "a JSON object")
    return cast("dict[str, Any]", data)


class _Unwanted(ValueError):
    """What JSON may hold in principle, and a report does not."""


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _Unwanted(f"The key {reprlib.repr(key)} stands twice in one place.")
        found[key] = value
    return found


def _no_constant(name: str) -> object:
    raise _Unwanted(f"{name} is no number of JSON.")


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise _Unwanted(f"A whole number has {len(digits)} digits; at most {_DIGITS} are read.")
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits) if len(digits) <= _LONGEST else math.inf
    if not math.isfinite(value):
        raise _Unwanted(f"The number {reprlib.repr(digits)} is too large, or too long to be one.")
    # what is read is what is written: in the fewest digits, or in 17, which is how programs write a float64
    same = Decimal(digits) in (Decimal(repr(value)), Decimal(f"{value:.17g}"))
    if not (same and _DECIMALS.fullmatch(digits)):
        raise _Unwanted(f"The number {reprlib.repr(digits)} is to be written as {value!r}.")
    return value


_DECIMALS = re.compile(r"-?([0-9]+\.[0-9]+|[1-9](\.[0-9]+)?[eE][-+]?[0-9]+)")  # no 0.005e2, which looks like 0.005


def _found(data: dict[str, Any], text: str, page: str) -> Found:
    _shallow(data)
    model = _model(data)
    for name in ("title", "unit", "context", "date"):
        checked_text(name, getattr(model, name))
    claims = tuple(_claim(claim, i) for i, claim in enumerate(model.claims))
    _consistent(model, claims)
    for claim in data["claims"]:
        if any(
            isinstance(claim[name], int) and claim[name] != float(claim[name]) for name in ("value", "lower", "upper")
        ):
            raise _refused("this file", "one whose numbers are what float64 can hold")
    return Found(data, model, claims, page, text)


def _shallow(data: object) -> None:
    """Refuse what is nested too deep for whatever comes after, without recursion."""
    level: list[object] = [data]
    for _ in range(_DEEPEST):
        below: list[object] = []
        for value in level:
            if isinstance(value, Mapping):
                below.extend(cast("Mapping[object, object]", value).values())
            elif isinstance(value, (list, tuple)):
                below.extend(cast("list[object]", value))
        if not below:
            return
        level = below
    raise _refused("this file", f"nested at most {_DEEPEST} deep")


def _model(data: dict[str, Any]) -> DocumentModel:
    try:
        from pydantic import ValidationError

        from neyman.reports.verifying.model import DocumentModel
    except ImportError as error:
        raise MissingPackage("verify needs pydantic: pip install 'neyman[report]'") from error
    if data.get("format") != "neyman-report":
        advice = "Markdown and LaTeX reports hold no data to verify."
        raise InvalidParameter("format", reprlib.repr(data.get("format")), "neyman-report", advice, topic="file")
    try:
        return DocumentModel.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(_shown(part) for part in first["loc"]) or "report"
        value = first["input"] if isinstance(first["input"], (str, int, float, bool, type(None))) else "something else"
        raise InvalidParameter(
            place[:200], value, "as the JSON Schema of reports has it", f"{first['msg']}.", topic="file"
        ) from None


def _shown(part: object) -> str:
    text = visible(str(part))
    return text if re.fullmatch(r"[\w @.,+-]{1,60}", text) else "(field)"


def _document(model: DocumentModel, claims: tuple[Claim, ...]) -> Document:
    mechanism = _mechanism(model.mechanism)
    plain = model.model_dump()
    return Document(
        title=model.title, unit=model.unit, context=model.context, date=model.date, mechanism=mechanism,
        adjacency=model.adjacency, adjacency_meaning=model.adjacency_meaning, floor=model.floor,
        deltas=tuple(model.deltas),
        summary=tuple(StepWords(**step) for step in plain["summary"]),
        assumptions=tuple(model.assumptions), claims=claims, verdict=Verdict(**plain["verdict"]),
        references=tuple(Reference(**reference) for reference in plain["references"]),
        certificate=Certificate(**plain["certificate"]), cite=tuple(model.cite), verify=model.verify,
        proof=None if model.proof is None else Seal(**plain["proof"]),
    )  # fmt: skip


def _mechanism(node: dict[str, Any]) -> Mechanism:
    try:
        return mechanism_from_dict(node)
    except InvalidParameter as error:
        raise error.called(f"mechanism: {error.name}") from None


def _claim(model: ClaimModel, index: int) -> Claim:
    given = tuple((name, value) for name, value in model.given.model_dump().items() if value is not None)
    names = {"posterior": ("membership_prior", "fpr")}.get(model.quantity)
    if names is not None:
        given = tuple(sorted(given, key=lambda pair: names.index(pair[0]) if pair[0] in names else 9))
    try:
        checked(model.quantity, given)
    except InvalidParameter as error:
        raise error.called(f"claims.{index}.{error.name}") from None
    value, lower, upper = (float(number) for number in (model.value, model.lower, model.upper))
    if model.text != "inf" and model.text != spelled(Decimal(model.text)):
        raise InvalidParameter(f"claims.{index}.text", model.text, f"written as {spelled(Decimal(model.text))}")
    return Claim(
        model.id, model.quantity, given, model.side, value, model.text, lower, upper, model.label, model.sentence
    )


def _consistent(model: DocumentModel, claims: tuple[Claim, ...]) -> None:
    """What every report has once, and at one floor."""
    ids = [(claim.quantity, claim.given) for claim in claims]
    if len(set(ids)) != len(ids):
        raise _refused("this file", "without two claims about one thing")
    mu = [claim for claim in claims if claim.quantity == "mu"]
    if len(mu) != 1:
        raise _refused("this file", "one with a claim about mu")
    floors = {value for claim in claims for name, value in claim.given if name == "floor"}
    if floors != {model.floor}:
        raise InvalidParameter(
            "claims", sorted(floors, key=str)[:3], f"claims at the floor of the report, {model.floor!r}"
        )


def _refused(name: str, allowed: str, advice: str = "") -> InvalidParameter:
    return InvalidParameter("report", visible(name)[:200], allowed, advice, topic="file")
