"""The JSON form of a report as its reader takes it, as in ``schema-1.json``: fields known, sizes bounded.

Imported only when a report is read: it needs pydantic.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from neyman.profiles.effort import EFFORT

__all__ = ["ClaimModel", "DocumentModel"]

_Number = Annotated[float, Field(ge=0.0, allow_inf_nan=False)] | Literal["inf"]
_Rate = Annotated[float, Field(gt=0.0, lt=1.0, allow_inf_nan=False)]
_Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
_Point = Literal["gaussian", "census", "cifar", "eight", "response"]
_ABSENT: Any = None  # may be left out, but is nowhere null


_Id = Annotated[str, Field(max_length=100, pattern=r"^[a-z_]+(@[0-9a-z_.,+-]+)?$")]
_RELEASE = r"^[0-9]+(\.[0-9]+)*((a|b|rc|\.post|\.dev)[0-9]+)*(\+[0-9A-Za-z.]{0,20})?$"  # and no word about who approves
_Version = Annotated[str, Field(max_length=40, pattern=_RELEASE)]
_NoneOrVersion = Annotated[str, Field(max_length=40, pattern=_RELEASE.replace("^", "^(").replace("$", ")?$"))]
_Tolerance = Annotated[float, Field(ge=0.99e-12, lt=1.0, allow_inf_nan=False)]
_Some200 = Annotated[str, Field(min_length=1, max_length=200)]
_Some40 = Annotated[str, Field(min_length=1, max_length=40)]
_Some60 = Annotated[str, Field(min_length=1, max_length=60)]
_Text100 = Annotated[str, Field(max_length=100)]
_Text1000 = Annotated[str, Field(max_length=1000)]
_Text10000 = Annotated[str, Field(max_length=10_000)]
_Text200 = Annotated[str, Field(max_length=200)]
_Text300 = Annotated[str, Field(max_length=300)]
_Text400 = Annotated[str, Field(max_length=400)]
_Text500 = Annotated[str, Field(max_length=500)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GivenModel(_Strict):
    """Where a quantity is asked for."""

    floor: _Rate = _ABSENT
    delta: _Share = _ABSENT
    fpr: _Share = _ABSENT
    prior: _Share = _ABSENT
    membership_prior: _Share = _ABSENT
    baseline: _Rate = _ABSENT
    reference: _Point = _ABSENT


class ClaimModel(_Strict):
    """One claim."""

    id: _Id
    quantity: _Some40
    given: GivenModel
    side: Literal["at most", "at least"]
    value: _Number
    text: Annotated[str, Field(max_length=40, pattern=r"^(inf|(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]{1,3})?)$")]
    lower: _Number
    upper: _Number
    label: _Text200
    sentence: _Text1000


class StepModel(_Strict):
    """One kind of step."""

    kind: _Text100
    noise: _Text400
    sampling: _Text100
    times: Annotated[int, Field(ge=0)]
    sentence: _Text1000


class VerdictModel(_Strict):
    """Which guarantee to report."""

    mu_suffices: bool
    recommended: Literal["mu", "profile", "epsilon", "zcdp", "stated"]
    headline: _Text400
    reason: _Text1000


class ReferenceModel(_Strict):
    """A comparison with a reference point."""

    key: _Point
    name: _Text200
    stated: _Text100
    source: _Text300
    order: Literal["more private", "less private", "alike", "neither", "undecided"]
    sentence: _Text1000


class CertificateModel(_Strict):
    """With what the numbers were computed."""

    method: _Text300
    tolerance: _Tolerance
    neyman: _Version
    python: _Version
    numpy: _Version
    scipy: _Version
    matplotlib: _NoneOrVersion
    effort: Annotated[float, Field(gt=0.0, allow_inf_nan=False)] = EFFORT


def _there(value: object) -> object:
    """What may be left out is nowhere null."""
    if value is None:
        raise ValueError("an object is expected, or nothing")
    return value


class SealModel(_Strict):
    """The proof that goes with it."""

    claims: Annotated[int, Field(ge=1, le=100)]
    proved: Annotated[int, Field(ge=1, le=100)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class DocumentModel(_Strict):
    """The whole report."""

    format: Literal["neyman-report"]
    version: Annotated[int, Field(ge=1, le=1)]  # a literal 1 would take true
    title: _Some200
    unit: _Some60
    context: _Text10000
    date: Annotated[str, Field(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$")]
    mechanism: dict[str, Any]
    adjacency: Literal["add_or_remove", "add", "remove", "replace"]
    adjacency_meaning: _Text500
    floor: Annotated[float, Field(gt=0.0, lt=0.5, allow_inf_nan=False)]
    deltas: Annotated[list[_Rate], Field(min_length=1, max_length=20)]
    summary: Annotated[list[StepModel], Field(min_length=1, max_length=101)]
    assumptions: Annotated[list[_Text1000], Field(min_length=1, max_length=20)]
    claims: Annotated[list[ClaimModel], Field(min_length=1, max_length=100)]
    verdict: VerdictModel
    references: Annotated[list[ReferenceModel], Field(max_length=10)]
    certificate: CertificateModel
    cite: Annotated[list[_Text1000], Field(min_length=1, max_length=10)]
    verify: _Text300
    proof: Annotated[SealModel | None, BeforeValidator(_there)] = _ABSENT
