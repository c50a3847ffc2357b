"""A law beside another that tells much less."""
