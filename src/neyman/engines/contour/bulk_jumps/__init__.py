"""Laws parted into bulk and rare jumps, each with a line of its own."""
