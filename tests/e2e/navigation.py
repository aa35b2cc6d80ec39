"""From page to page without losing a key or a click."""

PATIENCE = 120_000  # milliseconds; only what hangs takes so long


def follow(page, selector: str) -> None:
    """Click a link or a button and wait for the whole page behind it, with its scripts.

    A key or a click that comes before them is lost, and on a busy machine it does.
    """
    with page.expect_navigation(wait_until="load"):
        page.click(selector)
