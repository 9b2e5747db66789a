"""Headless Chromium for tests, over ChromeDriver's own protocol (W3C WebDriver, JSON over HTTP)."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --force-device-scale-factor=1"
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def missing() -> str:
    """Which program is not there; "" where both are."""
    if not _chromium():
        return "chromium is not installed (Debian: apt-get install chromium chromium-driver)"
    return (
        ""
        if shutil.which("chromedriver")
        else "chromedriver is not installed (Debian: apt-get install chromium-driver)"
    )


def _chromium() -> str | None:
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


class Browser:
    """One window. What a command of the protocol refuses raises RuntimeError with its message."""

    def __init__(self, base: str, profile: Path) -> None:
        self._base = base
        options = {"binary": _chromium(), "args": [*FLAGS.split(), f"--user-data-dir={profile}"]}
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL"}}
        answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._base = f"{base}/session/{answer['sessionId']}"

    def open(self, url: str) -> None:
        self._send("POST", "/url", {"url": url})

    def run(self, script: str, *arguments: object) -> Any:
        """The value that the body of a function returns in the page."""
        return self._send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def chrome(self, command: str, **parameters: object) -> Any:
        """A command of Chromium's developer tools."""
        return self._send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width: int, height: int = 900) -> None:
        values = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.chrome("Emulation.setDeviceMetricsOverride", **values)

    def dark(self, is_dark: bool) -> None:
        feature = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.chrome("Emulation.setEmulatedMedia", features=[feature])

    def click(self, selector: str) -> None:
        self._send("POST", f"/element/{self._find(selector)}/click", {})

    def label(self, selector: str) -> str:
        """The name by which a screen reader calls the element."""
        return str(self._send("GET", f"/element/{self._find(selector)}/computedlabel"))

    def keys(self, text: str) -> None:
        """Press these keys where the focus is."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def requests(self) -> list[str]:
        """What the page has asked the network for since this was asked last."""
        entries = self._send("POST", "/se/log", {"type": "performance"})
        events = [json.loads(entry["message"])["message"] for entry in entries]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]

    def close(self) -> None:
        self._send("DELETE", "")

    def _find(self, selector: str) -> str:
        found = self._send("POST", "/element", {"using": "css selector", "value": selector})
        return str(found[_ELEMENT])

    def _send(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except HTTPError as error:
            raise RuntimeError(error.read().decode("utf-8", "replace")[:500]) from None


@contextmanager
def browser(folder: Path, port: int) -> Iterator[Browser]:
    """A browser with a fresh profile in `folder`, driven through `port`."""
    driver = subprocess.Popen(
        [str(shutil.which("chromedriver")), f"--port={port}", f"--log-path={folder / 'chromedriver.log'}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(port)
        window = Browser(f"http://127.0.0.1:{port}", folder / "profile")
        yield window
        window.close()
    finally:
        driver.terminate()
        driver.wait(timeout=20)


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            with urlopen(f"http://127.0.0.1:{port}/status", timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("chromedriver does not answer")
