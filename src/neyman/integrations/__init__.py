"""Other frameworks: what they say, read in ours; what is known here, said in theirs; their training, watched.

``neyman.integrations.opacus``, ``.dp_accountant``, ``.huggingface`` and ``.lightning`` import their framework, and are
themselves imported only by who asks for them.
"""

from neyman.integrations.callbacks import StopOnBudget
from neyman.integrations.dp_events import from_dp_event
from neyman.integrations.pld import from_pld
from neyman.integrations.to_events import to_dp_event
from neyman.integrations.training_checks import check_training
from neyman.integrations.training_rules import Finding

__all__ = ["Finding", "StopOnBudget", "check_training", "from_dp_event", "from_pld", "to_dp_event"]
