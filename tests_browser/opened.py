"""A page in the browser, and all that it asked for or complained of."""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

__all__ = ["Opened", "listened"]


@dataclass
class Opened:
    """A page, and all that it asked for or complained of."""

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def listened(context: BrowserContext, address: str) -> Opened:
    """Return a new page, not yet at its address, whose requests, words and faults are kept."""
    page = context.new_page()
    found = Opened(page, address)

    def asked(request: Request) -> None:
        found.requests.append(request.url)

    def said(message: ConsoleMessage) -> None:
        found.complaints.append(message.text)

    page.on("request", asked)
    page.on("console", said)
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on("dialog", lambda dialog: found.complaints.append(dialog.message))
    return found
