"""What bounds on Renyi divergences leave to a test: error regions and their tangents."""
