"""The landing page: number of cards, distances, and failures."""

import glob
import os
import time

from .photos import image
from .registry import check

ITEM = '[data-testid^="animalList.item."]'


@check("landing: 0, 1, 5 and 6 items, a missing picture, a missing server, slow and fast responses", seconds=5)
def landing(world):
    server = world.own_server()
    browser = world.browser(server).open("/")
    assert browser.shows("landingPage.empty") and not browser.all(ITEM)
    assert browser.shows("home.hero.title")
    made = []
    for count in range(1, 7):
        made.append(server.announce(photo=image("orientation-1.jpg"), petName=f"Pet {count}"))
        if count in (1, 5, 6):
            browser.open("/")
            assert len(browser.all(ITEM)) == min(count, 5), f"{len(browser.all(ITEM))} of {count}"
    newest = [element.get_attribute("data-testid").removeprefix("animalList.item.") for element in browser.all(ITEM)]
    assert newest == [item["id"] for item in reversed(made)][:5], "not the five newest"
    browser.click("home.recentReports.viewAll")
    browser.wait_path("/announcements")
    assert len(browser.all(ITEM)) == 6
    distances(browser)
    broken(browser, server)
    down(browser, server)


def distances(browser):
    """Distances appear only after the tap. Of two responses the newer request's one counts, even if the older one's
    comes later."""
    browser.open("/")
    assert " km" not in browser.text("main")
    browser.allow_position(52.3, 21.0122)
    browser.click("[data-nearby]")
    browser.wait("distances", lambda: "7.8 km" in browser.text("main"))
    # They reappear after a reload and on the list of all announcements. No URL contains the position.
    browser.driver.refresh()
    browser.wait("distances after a reload", lambda: "7.8 km" in browser.text("main"))
    assert "lat" not in browser.driver.current_url
    browser.click("home.recentReports.viewAll")
    browser.wait("distances of all", lambda: browser.path == "/announcements" and "7.8 km" in browser.text("main"))
    browser.open("/")
    # Holds back the older response in the page until the newer one has arrived.
    browser.js(
        "const get = window.fetch; let count = 0;"
        "window.fetch = async (...rest) => { const mine = ++count; const answer = await get(...rest);"
        " if (mine === 1) await new Promise((resolve) => setTimeout(resolve, 2000)); return answer; }"
    )
    browser.allow_position(53, 21.0122)
    browser.click("[data-nearby]")
    browser.wait("the first request", lambda: browser.watched("positions") == 2)  # one more from the page load
    time.sleep(0.5)
    browser.allow_position(52.2297, 21.0122)
    browser.js("document.querySelector('[data-nearby]').click()")
    browser.wait("the newer distance", lambda: "0.0 km" in browser.text("main") or "0 m" in browser.text("main"))
    time.sleep(2.5)
    assert "85" not in browser.text("main"), "an older answer has overwritten a newer one"


def broken(browser, server):
    """A missing picture shows a placeholder, not a broken icon."""
    for path in glob.glob(os.path.join(server.cache, "**", "*.jpg"), recursive=True):
        os.remove(path)
    browser.cdp("Network.clearBrowserCache")
    browser.open("/")
    browser.wait(
        "a placeholder for each picture",
        lambda: browser.js(
            "return [...document.querySelectorAll('[data-testid^=\"animalList.item.\"] img')]"
            ".every((picture) => picture.complete && (picture.naturalWidth > 0 || picture.hidden))"
        ),
    )


def down(browser, server):
    """Requests distances from a server that is down. The page shows an error with a button to retry."""
    browser.open("/")
    server.kill()
    browser.click("[data-nearby]")
    browser.wait_for("landingPage.error")
    assert not browser.all(ITEM), "the old cards are still shown below the error"
    server.start()
    browser.click("landingPage.error.retryButton")
    # While it loads, neither the error nor cards are shown.
    browser.wait("the cards", lambda: browser.all(ITEM))
    assert not browser.all("landingPage.error")


@check("landing with five cards: less than 30 KB without pictures, less than 100 ms of server time")
def landing_weight(world):
    server = world.own_server()
    for number in range(5):
        server.announce(photo=image("orientation-1.jpg"), petName=f"Pet {number}", reward="100", description="x" * 200)
    browser = world.browser(server).open("/")
    assert len(browser.all(ITEM)) == 5
    # Resources from a service worker are counted unpacked.
    browser.cdp("Network.setBypassServiceWorker", bypass=True)
    browser.cdp("Network.clearBrowserCache")
    browser.open("/")
    sizes = browser.js(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".filter((entry) => !entry.name.includes('/images/')).map((entry) => [entry.name, entry.encodedBodySize])"
    )
    total = sum(size for _, size in sizes)
    assert len(sizes) >= 3 and min(size for _, size in sizes) > 0, sizes
    assert total < 30_000, f"{total} bytes: {sizes}"
    times = []
    for _ in range(10):
        browser.open("/")
        times.append(
            browser.js(
                "const page = performance.getEntriesByType('navigation')[0];"
                "return page.responseEnd - page.requestStart"
            )
        )
    print(f"({total} bytes, {sorted(times)[5]:.0f} ms) ", end="")
    assert sorted(times)[5] < 100, times


@check("location denied on a list: a window once per session, then a line")
def location_denied(world):
    server = world.own_server()
    server.announce(photo=image("orientation-1.jpg"))
    browser = world.browser(server).open("/")
    assert browser.watched("positions") == 0
    browser.deny_position()
    browser.click("[data-nearby]")
    browser.wait("the window", lambda: browser.shows("startup.permissionPopup"))
    assert browser.shows("startup.permissionPopup.goToSettings")
    browser.click("startup.permissionPopup.goToSettings")
    browser.wait("where the settings are", lambda: browser.shows("[data-how-to]"))
    browser.click("startup.permissionPopup.cancel")
    browser.wait("its end", lambda: not browser.shows("startup.permissionPopup"))
    for path in ("/", "/announcements"):
        browser.open(path)
        browser.click("[data-nearby]")
        browser.wait("a line", lambda: browser.shows("landingPage.toast"))
        assert not browser.shows("startup.permissionPopup")
    assert browser.all(ITEM), "the list without distances stays"
