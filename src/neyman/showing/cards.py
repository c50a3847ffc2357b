def card_of(x: object) -> str:
    return ""
