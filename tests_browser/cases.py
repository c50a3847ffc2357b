"""The reports that are opened: the paper's case, the Census, a mechanism without any mu, and one written in malice."""

from __future__ import annotations

import json
from pathlib import Path

import neyman as ny
from neyman.reports.said.document import Seal

__all__ = ["CASES", "MARKER", "written"]

MARKER = "neymanInjected"  # what the payloads would set on the window
_ROOT = Path(__file__).parent.parent
_SEAL = Seal(claims=36, proved=36, sha256="5e" * 32)  # the longest word about a proof
_LONG = "Donaudampfschifffahrtsgesellschaft" * 9
_PAYLOAD = (
    f"<script>window.{MARKER}=1</script> <img src=x onerror=\"window.{MARKER}=2\"> <svg onload='window.{MARKER}=3'> "
    f"</style><style>*{{display:none!important}}</style> --> ]]> </title></textarea></script><script>window.{MARKER}=4"
    "</script> <a href=javascript:alert(1)>a</a> <meta http-equiv=refresh content=0;url=http://example.org> "
    "{{ 7 * 7 }} {% raw %} &lt;b&gt; &amp; \" ' ` <!-- שלום עולם مرحبا بالعالم 👩👩👧 ﷽﷽﷽﷽﷽﷽ Z̴̡̢̛͓̓ "
)


def _paper() -> ny.Mechanism:
    return ny.DPSGD(noise_multiplier=9.4, sample_rate=0.32768, steps=2000)


def written() -> dict[str, str]:
    """Return the pages, by the name of their case."""
    census = ny.mechanism_from_dict(json.loads((_ROOT / "examples" / "census_topdown.json").read_text("utf-8")))
    many = ny.compose([ny.Gaussian(3.0 + i / 10).poisson((1 + i) / 1000) ** (i + 1) for i in range(60)])
    context = "\n".join(f"{_PAYLOAD} {_LONG}" for _ in range(20))[:10_000]
    reports = {
        "paper": ny.report(
            _paper(), title="CIFAR-10 with a wide residual network", unit="image", date="2025-01-31",
            context="Image classifier trained for the internal benchmark of the vision group; weights are released.",
        ),
        "census": ny.report(census, title="2020 US Census, redistricting data", unit="person"),
        "no mu": ny.report(ny.ApproximateMechanism(1.0, 1e-5)),
        "many steps": ny.report(many, title="Sixty settings", deltas=[1e-3, 1e-5, 1e-6, 1e-9, 1e-12]).with_proof(_SEAL),
        "hostile": ny.report(
            _paper(), title=(_PAYLOAD[:150] + _LONG)[:200], unit=f"</b><script>window.{MARKER}=5</script>﷽﷽﷽﷽"[:60],
            context=context, deltas=[1e-3, 1e-5, 1e-6, 1e-9, 1e-12], date="2025-01-31",
        ).with_proof(_SEAL),
    }  # fmt: skip
    return {name: report.to_html() for name, report in reports.items()}


CASES = ("paper", "census", "no mu", "many steps", "hostile")
