"""A real browser for the page and the explorer: Debian's chromium, which fetches nothing and forgives nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).parent
SIZES = {"desk": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; a machine without one is an error, or the tests would pass by not running."""
    path = shutil.which("chromium")
    if path is None:
        pytest.fail("no chromium on this machine; install it with: apt-get install chromium", pytrace=False)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where screenshots are kept to be looked at."""
    folder = Path(os.environ.get("FORGETMAP_SHOTS") or HERE / "shots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass
class Seen:
    """What a browser page did that a reader would not notice."""

    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture
def open_html(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open the text of a page from disk. At the end of the test: no console error, no request to anywhere else."""
    contexts, pages = [], []

    def open_(html: str, *, size: str = "desk", scheme: str = "light", script: bool = True, at: str = "") -> Page:
        path = tmp_path / f"page{len(pages)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, java_script_enabled=script)  # type: ignore[arg-type]
        context.set_default_timeout(15_000)
        page, seen = context.new_page(), Seen()
        watch(page, seen)
        contexts.append(context)
        pages.append((path, seen))
        page.goto(f"{path.as_uri()}{at}")
        if script:
            page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_
    for context in contexts:
        context.close()
    for path, seen in pages:
        assert seen.faults == []
        outside = [url for url in seen.requests if not url.startswith((path.as_uri(), "blob:", "data:"))]
        assert outside == []


def watch(page: Page, seen: Seen) -> None:
    """Note errors of the console, of scripts and of dialogs, and every request."""

    def console(message: Any) -> None:
        if message.type in ("error", "warning"):
            seen.faults.append(f"{message.type}: {message.text}")

    def dialog(box: Any) -> None:
        seen.faults.append(f"dialog: {box.message}")
        box.dismiss()

    page.on("console", console)
    page.on("pageerror", lambda fault: seen.faults.append(str(fault)))
    page.on("dialog", dialog)
    page.on("request", lambda request: seen.requests.append(request.url))
