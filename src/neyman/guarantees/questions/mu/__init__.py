"""mu at a floor: the least Gaussian curve below another, between its tangents or from its vertices."""
