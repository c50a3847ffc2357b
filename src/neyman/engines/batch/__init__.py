"""Many settings of DP-SGD at once: the contour of one setting, with the settings as a leading axis of everything."""
