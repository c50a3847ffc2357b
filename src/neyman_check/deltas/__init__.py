"""delta of a composition, in one direction at one eps: from both sides."""
