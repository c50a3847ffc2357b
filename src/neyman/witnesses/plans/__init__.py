"""Where to lay lines, veils, paths and forks, and how fine. Floats only choose."""
