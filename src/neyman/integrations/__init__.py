"""Other frameworks: what they describe, read as mechanisms. Each is imported only when asked for."""

from neyman.integrations.dp_events import from_dp_event

__all__ = ["from_dp_event"]
