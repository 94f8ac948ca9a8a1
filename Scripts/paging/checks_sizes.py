"""The sizes of an announcement's photo that a phone loads: small enough for its network, and large enough for its
screen."""

import time
import urllib.error
import urllib.request

from .photos import twelve_megapixels
from .registry import check

# Returns the URL, the size and the needed width in pixels of every visible picture.
SHOWN = """
return [...document.querySelectorAll("main img")].map((img) => {
  const box = img.getBoundingClientRect(), ratio = img.naturalWidth / img.naturalHeight;
  const cut = getComputedStyle(img).objectFit === "cover";
  const wide = cut ? Math.max(box.width, box.height * ratio) : Math.min(box.width, box.height * ratio);
  return {address: img.currentSrc, done: img.complete && img.naturalWidth > 0, candidate: Number((img.currentSrc.match(/-(\\d+)\\.webp$/) || [])[1]),
    ratio, needed: wide * devicePixelRatio};
}).filter((one) => one.needed > 0)
"""


def shown(browser):
    """Returns the pictures of a page once all have loaded. Those below the screen load when they are scrolled into
    view."""
    for place in (0.5, 1, 0):
        browser.js(f"scrollTo(0, {place} * document.body.scrollHeight)")
        browser.wait("layout", lambda: browser.js("return new Promise((done) => setTimeout(() => done(true), 300))"), 10)
    browser.wait("pictures", lambda: (found := browser.js(SHOWN)) and all(one["done"] for one in found), 90)
    return browser.js(SHOWN)


def weights(server):
    """Requests every size of all announcements, so that they are ready before a page needs them, and returns their
    bytes. A busy server responds with 503."""
    found = {}
    for address in [size["url"] for one in server.announcements() for size in one["photoSizes"]]:
        for left in range(60, -1, -1):
            try:
                with urllib.request.urlopen(address, timeout=60) as answer:
                    found[address] = len(answer.read())
                break
            except urllib.error.HTTPError as error:
                assert error.code == 503 and left, f"{address}: {error}"
                time.sleep(1)
    return found


@check("phone of 390 by 844 at 2 and 3 device pixels: sharp pictures, at most 200 KB per announcement, 250 for cards", 30)
def sharp_pictures(world):
    server = world.own_server()
    photos = [twelve_megapixels(upright) for upright in (False, True)]
    made = [server.announce(photo=photos[number % 2]) for number in range(5)]
    bytes_of = weights(server)
    for dense in (2, 3):
        browser = world.browser(server)
        browser.cdp("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=dense, mobile=True)
        # The list comes first, because Chromium shows a larger file if it has one.
        pages = [("/", 5, 250_000)] + [(f"/announcements/{one['id']}", 1, 200_000) for one in made[:2]]
        for path, count, limit in pages:
            found = shown(browser.open(path))
            assert len(found) == count, f"{path} at {dense}: {found}"
            for one in found:
                # The name of a size is the length of its longer side.
                wide = one["candidate"] * min(1, one["ratio"])
                # A card may enlarge its picture by a fifth.
                assert wide >= one["needed"] * (0.8 if path == "/" else 1) - 1, f"{path} at {dense}: {one}"
            total = sum(bytes_of[one["address"]] for one in found)
            print(f"({dense}x {total // 1000} KB) ", end="", flush=True)
            assert 0 < total <= limit, f"{path} at {dense}: {total} bytes, {found}"


@check("cards on phones: at most 30 KB each, and 250 KB for a page of twenty, however detailed the photos are", 30)
def light_cards(world):
    server = world.own_server()
    photos = [twelve_megapixels(upright) for upright in (False, True)]
    for number in range(20):
        server.announce(photo=photos[number % 2])
    bytes_of = weights(server)
    for width, dense in ((390, 2), (390, 3), (320, 2)):
        browser = world.browser(server)
        browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=dense, mobile=True)
        found = [bytes_of[one["address"]] for one in shown(browser.open("/announcements"))]
        assert len(found) == 20 and max(found) <= 30_000 and sum(found) <= 250_000, f"{width} at {dense}: {found}"
