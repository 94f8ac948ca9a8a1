"""What a phone loads of a photo: no more than its screen can show and its line can bear."""

from .photos import twelve_megapixels
from .registry import check

# Of every picture that is shown: which file, how many pixels wide it is, and how many its place has.
SHOWN = """
return [...document.querySelectorAll("main img")].map((img) => {
  const box = img.getBoundingClientRect(), ratio = img.naturalWidth / img.naturalHeight;
  const cut = getComputedStyle(img).objectFit === "cover";
  const wide = cut ? Math.max(box.width, box.height * ratio) : Math.min(box.width, box.height * ratio);
  const entry = performance.getEntriesByName(img.currentSrc)[0];
  return {name: img.currentSrc.split("-").pop(), bytes: entry ? entry.encodedBodySize : 0,
    done: img.complete && img.naturalWidth > 0, candidate: Number((img.currentSrc.match(/-(\\d+)\\.webp$/) || [])[1]),
    ratio, needed: wide * devicePixelRatio};
})
"""


def shown(browser):
    """The pictures of a page, once all are there."""
    browser.wait("pictures", lambda: (found := browser.js(SHOWN)) and all(one["done"] for one in found), 60)
    return browser.js(SHOWN)


@check(58, "phone of 390 by 844 at 2 and 3 device pixels: sharp, an announcement 200 KB, the landing 120 KB at most")
def phone(world):
    server = world.own_server()
    photos = [twelve_megapixels(upright=number % 2 == 1) for number in range(5)]
    made = [server.announce(photo=photo) for photo in photos]
    for dense in (2, 3):
        browser = world.browser(server)
        browser.cdp("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=dense, mobile=True)
        pages = {"/": 120_000} | {f"/announcements/{one['id']}": 200_000 for one in made[-2:]}
        for path, most in pages.items():
            found = shown(browser.open(path))
            for one in found:
                # A rung is as long as its longer side.
                wide = one["candidate"] * min(1, one["ratio"])
                assert wide >= one["needed"] - 1, f"{path} at {dense}: {one}"
            total = sum(one["bytes"] for one in found)
            print(f"({path.split('/')[1] or 'landing'} {dense}x {total // 1000} KB) ", end="")
            assert 0 < total <= most, f"{path} at {dense}: {total} bytes, {found}"
