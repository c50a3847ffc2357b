"""From the risk that is accepted to the parameter that keeps it: targets, and the least noise that meets them.

>>> import neyman as ny
>>> found = ny.noise_for_dpsgd(ny.targets.Advantage(0.1), *ny.training(batch_size=256, dataset_size=60_000, epochs=10))
>>> round(found.parameter, 3), found.guarantee.advantage <= 0.1
(1.044, True)
"""

from __future__ import annotations

from neyman.calibration import targets
from neyman.calibration.calibrate import Calibration, calibrate
from neyman.calibration.dpsgd import noise_for_dpsgd, rate_for_dpsgd, steps_for_dpsgd

__all__ = ["Calibration", "calibrate", "noise_for_dpsgd", "rate_for_dpsgd", "steps_for_dpsgd", "targets"]
