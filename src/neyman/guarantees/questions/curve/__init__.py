"""The trade-off curve read off a profile: one point, many, what they enclose."""
