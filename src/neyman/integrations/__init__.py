"""What other libraries say, read in ours; each is imported only when it is asked for."""

from neyman.integrations.dp_events import from_dp_event
from neyman.integrations.pld import from_pld

__all__ = ["from_dp_event", "from_pld"]
