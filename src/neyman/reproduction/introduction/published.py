"""What the passage that introduces f-DP states."""

from __future__ import annotations

from neyman.reproduction.published import Holds, Published

__all__ = ["PUBLISHED"]


def _holds(key: str, quantity: str) -> Published:
    return Published("introduction", key, "Passage", quantity, "stated", Holds())


PUBLISHED: tuple[Published, ...] = (
    _holds("embedding", "f and all (epsilon, delta) of a mechanism determine each other"),
    _holds("errors", "no attacker bounds type I errors below alpha and type II errors below f(alpha) at once"),
    _holds("gaussian", "GDP is as hard as telling N(0, 1) from N(mu, 1): f(alpha) = Phi(Phi^-1(1 - alpha) - mu)"),
    _holds("two", "mu_1-GDP and mu_2-GDP compose to sqrt(mu_1^2 + mu_2^2)-GDP"),
    _holds("many", "this generalises to n-fold composition"),
    _holds("limit", "under composition hypothesis-testing definitions converge to GDP"),
    _holds("loose", "composition of (epsilon, delta)-DP is very loose"),
)
