"""Rules: each looks at a composition and says how it is bounded, or that it is not one for it."""
