"""Draws the README's picture of the flow: five pages side by side, as a phone shows them."""

import base64
import os
import tempfile

from .browser import Browser
from .flow import attach, describe, go_on, owner, publish
from .photos import image
from .server import Server

WIDTH, HEIGHT = 390, 780


def draw(binary, path):
    """Files a report and writes the picture to `path`, a WebP or PNG file."""
    server = Server(binary)
    try:
        with Browser(server, width=WIDTH, height=HEIGHT) as browser:
            shots = list(pages(browser))
            compose(browser, shots, path)
    finally:
        server.stop()
    print(f"{path}: {os.path.getsize(path)} bytes")


def pages(browser):
    """Yields the PNG bytes of one page after another."""

    def shot():
        browser.js("document.activeElement?.blur(); document.querySelector('.toast')?.remove(); scrollTo(0, 0)")
        return base64.b64decode(browser.cdp("Page.captureScreenshot", format="png")["data"])

    browser.open("/report/chip")
    go_on(browser, "chip", "photo")
    attach(browser, image("portrait-phone.heic"))
    yield shot()
    go_on(browser, "photo", "description")
    describe(browser, petName="Luna", race="Beagle", age="3", description="Shy, a red collar.")
    yield shot()
    go_on(browser, "description", "contact")
    owner(browser, reward="100")
    yield shot()
    publish(browser)
    yield shot()
    browser.open("/")
    yield shot()


def compose(browser, shots, path):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for index, shot in enumerate(shots):
            with open(os.path.join(folder, f"{index}.png"), "wb") as file:
                file.write(shot)
            names.append(f'<img src="{index}.png">')
        with open(os.path.join(folder, "all.html"), "w", encoding="utf-8") as file:
            file.write(
                "<style>body {margin: 0; padding: 12px; display: flex; gap: 12px; background: #8a8178}"
                f" img {{width: 232px; height: {HEIGHT * 232 // WIDTH}px; border-radius: 14px}}</style>" + "".join(names)
            )
        width = len(shots) * 244 + 12
        browser.resize(width, HEIGHT * 232 // WIDTH + 24)
        browser.driver.get("file://" + folder + "/all.html")
        kind = "webp" if path.endswith(".webp") else "png"
        options = {"format": kind} | ({"quality": 80} if kind == "webp" else {})
        data = base64.b64decode(browser.cdp("Page.captureScreenshot", **options)["data"])
    with open(path, "wb") as file:
        file.write(data)
