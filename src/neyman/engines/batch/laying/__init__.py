"""Lines of many settings side by side: where they stand, where they are cut, what stands on their nodes."""
