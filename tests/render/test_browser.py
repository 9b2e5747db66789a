"""The page in headless Chromium: readable at two widths, followed with mouse and keyboard, and without any request."""

import os
import socket
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
import webdriver
from page_examples import PAGES
from webdriver import Browser

from r0kit.render.width import width

WIDTHS = (1280, 390)


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder and remembers what was asked for."""

    asked: list[str] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The example pages, served on this machine."""
    folder = tmp_path_factory.mktemp("site")
    for name, make in PAGES.items():
        (folder / f"{name}.html").write_text(make(), "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A window of the browser. Where there is none, its tests are skipped, and fail in CI."""
    if missing := webdriver.missing():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(missing)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with webdriver.browser(tmp_path_factory.mktemp("chromium"), port) as found:
        yield found


# Rectangles of all that shows text, cut to what the scrolling boxes around it let through.
RECTANGLES = """
const clipped = (element) => {
  const r = element.getBoundingClientRect();
  let [left, top, right, bottom] = [r.left, r.top, r.right, r.bottom];
  for (let p = element.parentElement; p; p = p.parentElement) {
    if (getComputedStyle(p).overflowX === 'visible' || p === document.documentElement) continue;
    const c = p.getBoundingClientRect();
    [left, top] = [Math.max(left, c.left), Math.max(top, c.top)];
    [right, bottom] = [Math.min(right, c.right), Math.min(bottom, c.bottom)];
  }
  return [left, top, right, bottom];
};
const shown = [...document.querySelectorAll(arguments[0])].filter(e => !e.matches('.skip, .sr'));
const found = [];
for (const element of shown) {
  const r = clipped(element);
  if (r[2] - r[0] > 1 && r[3] - r[1] > 1) found.push([element, r]);
}
const overlaps = [];
for (let i = 0; i < found.length; i++) for (let j = i + 1; j < found.length; j++) {
  const [a, r] = found[i], [b, s] = found[j];
  if (a.contains(b) || b.contains(a)) continue;
  const wide = Math.min(r[2], s[2]) - Math.max(r[0], s[0]), high = Math.min(r[3], s[3]) - Math.max(r[1], s[1]);
  if (wide > arguments[1] && high > arguments[1])
    overlaps.push(`${a.textContent.trim().slice(0, 40)} / ${b.textContent.trim().slice(0, 40)} by ${wide} x ${high}`);
}
return [found.length, overlaps];
"""
TEXTS = (
    "h1, h2, h3, h4, p, caption, th, td, dt, dd, nav a, .badge, .reasons li, .steps li, .listing li, .figure, section"
)


@pytest.mark.parametrize("wide", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_overlaps_and_the_page_does_not_scroll_sideways(
    name: str, wide: int, site: str, window: Browser
) -> None:
    window.size(wide)
    window.open(f"{site}/{name}.html")
    count, overlaps = window.run(RECTANGLES, TEXTS, 1)
    assert count > 20 and overlaps == []
    count, overlaps = window.run(RECTANGLES, ".swimlane text, .swimlane .pill", 2)
    overlaps = [overlap for overlap in overlaps if not overlap.startswith(" / ") and " /  by" not in overlap]
    assert count > 3 and overlaps == []
    assert window.run("return document.documentElement.scrollWidth") <= wide
    blocks = "return [...document.querySelectorAll('main > section, .card, .part')]"
    outside = f"{blocks}.filter(e => e.getBoundingClientRect().right > innerWidth).length"
    assert window.run(outside) == 0


@pytest.mark.parametrize("name", PAGES)
def test_texts_of_the_drawing_are_as_wide_as_estimated_at_most(name: str, site: str, window: Browser) -> None:
    window.size(2400)
    window.open(f"{site}/{name}.html")
    texts = window.run(
        "return [...document.querySelectorAll('.swimlane text:not(.title)')].map(t => [t.classList[0],"
        " t.childNodes[0] ? t.childNodes[0].data : '', t.getComputedTextLength()])"
    )
    sizes = {"number": 11, "name": 14, "about": 12, "fact": 11, "value": 12, "shape": 11, "way": 11}
    mono = {"name", "value", "shape", "way"}
    assert texts
    for style, text, real in texts:
        if text.isascii() or all(ord(char) < 0xFFFF and char != "\ufffd" for char in text):
            assert real <= width(text, sizes[style], style in mono) + 1, text


def network(urls: list[str]) -> list[str]:
    """Without what a browser has in itself."""
    return [url for url in urls if not url.startswith(("data:", "chrome:"))]


@pytest.mark.parametrize("name", PAGES)
def test_no_request_leaves_the_page_and_nothing_runs(name: str, site: str, window: Browser) -> None:
    window.open("about:blank")
    window.requests()
    Handler.asked.clear()
    window.open(f"{site}/{name}.html")
    assert network(window.requests()) == [f"{site}/{name}.html"]
    assert Handler.asked == [f"/{name}.html"]
    foreign = "script, iframe, object, embed, img, form, audio, video, base, [onclick], [onerror], [onload], [style]"
    assert window.run("return document.querySelectorAll(arguments[0]).length", foreign) == 0
    assert (
        window.run(
            "return [...document.querySelectorAll('[href]')].filter(e => !/^(#|data:,$)/.test(e.getAttribute('href'))).length"
        )
        == 0
    )
    assert window.run("return getComputedStyle(document.querySelector('.card')).borderTopLeftRadius") == "12px", (
        "styled"
    )


def test_the_policy_lets_no_script_run(site: str, window: Browser) -> None:
    window.open(f"{site}/attention.html")
    script = "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s);"
    script += "return window.ran || 0"
    assert window.run(script) == 0


def test_a_module_of_the_drawing_leads_to_its_card(site: str, window: Browser) -> None:
    window.size(1280)
    window.open(f"{site}/attention.html")
    window.click(".swimlane a[href='#module-3']")
    top, page = window.run("return [document.querySelector('#module-3').getBoundingClientRect().top, location.hash]")
    assert page == "#module-3" and 0 <= top < 300
    window.click("#module-3 .back a")
    assert window.run("return location.hash") == "#flow"


def test_every_link_leads_to_something(site: str, window: Browser) -> None:
    window.open(f"{site}/twenty.html")
    ids = window.run("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    links = window.run("return [...document.querySelectorAll('a')].map(a => a.getAttribute('href').slice(1))")
    assert len(links) > 40 and set(links) <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_keyboard_reaches_everything(site: str, window: Browser) -> None:
    window.size(390)
    window.open(f"{site}/attention.html")
    tab, enter = "\ue004", "\ue007"
    window.keys(tab)
    assert window.run("return document.activeElement.className") == "skip"
    window.keys(enter)
    assert window.run("return document.activeElement.id") == "main"
    reached = []
    for _ in range(8):
        window.keys(tab)
        reached.append(window.run("const e = document.activeElement; return e.getAttribute('href') || e.className"))
    assert reached[0] == "figure scroll" and reached[1:5] == [f"#module-{number}" for number in range(1, 5)]
    window.keys(enter)
    scrolling = "return [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth"
    assert window.run(f"{scrolling}).length") > 0
    assert window.run(f"{scrolling} && e.tabIndex < 0).length") == 0, "what scrolls can be scrolled with the keyboard"


def test_a_screen_reader_is_told_what_things_are(site: str, window: Browser) -> None:
    window.open(f"{site}/attention.html")
    assert window.label(".swimlane a[href='#module-2']") == "Module 2 online_softmax"
    assert window.label(".swimlane") == "attention: swimlane of its Modules"
    assert window.label("#module-2") == "Module\xa02 online_softmax"
    assert window.run("return [...document.querySelectorAll('table')].filter(t => !t.caption || !t.tHead).length") == 0
    assert window.run("return [...document.querySelectorAll('th')].filter(t => !t.scope).length") == 0
    levels = window.run("return [...document.querySelectorAll('h1, h2, h3, h4')].map(h => +h.tagName[1])")
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


# Contrast of each text with the first background behind it (WCAG 2): the worst, and where.
CONTRAST = """
const parse = (c) => c.match(/[\\d.]+/g).map(Number);
const light = (c) => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (e) => { for (; e; e = e.parentElement) {
  const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
let worst = [99, ''];
for (const e of document.querySelectorAll('p, li, th, td, dt, dd, h1, h2, h3, h4, caption, code, a, .no')) {
  if (!e.textContent.trim() || e.closest('svg') || e.matches('.skip')) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 80)];
}
for (const e of document.querySelectorAll('.swimlane text')) {
  for (const ground of document.querySelectorAll('.swimlane .lane, .swimlane .box, .swimlane .pill')) {
    const [a, b] = [light(parse(getComputedStyle(e).fill)), light(parse(getComputedStyle(ground).fill))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 80)];
  }
}
return [...worst, getComputedStyle(document.body).backgroundColor];
"""


def test_text_stands_out_on_light_and_on_dark(site: str, window: Browser) -> None:
    grounds = set()
    for is_dark in (False, True):
        window.dark(is_dark)
        window.open(f"{site}/attention.html")
        ratio, where, ground = window.run(CONTRAST)
        assert ratio >= 4.5, where
        grounds.add(ground)
    window.dark(False)
    assert len(grounds) == 2


def test_the_page_prints(site: str, window: Browser) -> None:
    from base64 import b64decode

    window.open(f"{site}/attention.html")
    assert b64decode(window.chrome("Page.printToPDF", printBackground=False)["data"]).startswith(b"%PDF")


def test_a_drawing_of_its_own_is_drawn(tmp_path: Path, window: Browser) -> None:
    from render_contracts import contract

    from r0kit.render import Lang, svg

    (tmp_path / "hostile.svg").write_text(svg(contract("hostile"), Lang.EN), "utf-8")
    window.requests()
    window.open((tmp_path / "hostile.svg").as_uri())
    assert network(window.requests()) == [(tmp_path / "hostile.svg").as_uri()]
    assert window.run("return document.documentElement.tagName + document.querySelectorAll('.box').length") == "svg2"
    assert window.run("return document.querySelectorAll('script, a, parsererror').length") == 0
