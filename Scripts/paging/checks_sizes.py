"""What a phone loads of an announcement's photo: no more than its line can bear, no less than its screen can show."""

from .photos import twelve_megapixels
from .registry import check

# Of every picture that is shown: which file, its bytes, how many pixels its place is wide.
SHOWN = """
return [...document.querySelectorAll("main img")].map((img) => {
  const box = img.getBoundingClientRect(), ratio = img.naturalWidth / img.naturalHeight;
  const cut = getComputedStyle(img).objectFit === "cover";
  const wide = cut ? Math.max(box.width, box.height * ratio) : Math.min(box.width, box.height * ratio);
  const entry = performance.getEntriesByName(img.currentSrc)[0];
  return {name: img.currentSrc.split("-").pop(), bytes: entry ? entry.encodedBodySize : 0,
    done: img.complete && img.naturalWidth > 0, candidate: Number((img.currentSrc.match(/-(\\d+)\\.webp$/) || [])[1]),
    ratio, needed: wide * devicePixelRatio};
}).filter((one) => one.needed > 0)
"""


def shown(browser):
    """The pictures of a page, once all are there; those below the screen come when they are scrolled to."""
    for place in (0.5, 1, 0):
        browser.js(f"scrollTo(0, {place} * document.body.scrollHeight)")
        browser.wait("layout", lambda: browser.js("return new Promise((done) => setTimeout(() => done(true), 300))"), 10)
    browser.wait("pictures", lambda: (found := browser.js(SHOWN)) and all(one["done"] for one in found), 90)
    return browser.js(SHOWN)


@check(59, "phone of 390 by 844 at 2 and 3 device pixels: an announcement is sharp and 200 KB at most", 30)
def phone(world):
    server = world.own_server()
    photos = [twelve_megapixels(upright) for upright in (False, True)]
    made = [server.announce(photo=photo) for photo in photos]
    for dense in (2, 3):
        browser = world.browser(server)
        browser.cdp("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=dense, mobile=True)
        for path in (f"/announcements/{one['id']}" for one in made):
            found = shown(browser.open(path))
            for one in found:
                # A rung is as long as its longer side.
                wide = one["candidate"] * min(1, one["ratio"])
                assert wide >= one["needed"] - 1, f"{path} at {dense}: {one}"
            total = sum(one["bytes"] for one in found)
            print(f"({dense}x {total // 1000} KB) ", end="", flush=True)
            assert 0 < total <= 200_000, f"{path} at {dense}: {total} bytes, {found}"
