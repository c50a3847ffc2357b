"""The page with a Python of its own, as a folder for any host of plain files."""
