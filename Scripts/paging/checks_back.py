"""Back, reload and lost connections: no form is sent twice, and no typed text is lost."""

import datetime
import math
import time

from .flow import CARD, CONTINUE, describe, go_on, owner, publish, send_photo, to_description, to_review, to_summary
from .photos import image, named
from .registry import check

DISTANCE = "animalList.distance"
UNSAVED = "reportMissingPet.unsaved"


def reload(browser, step, shows):
    """Reloads the page. It must come again without a question about sending the form again."""
    browser.driver.refresh()
    browser.wait_path(f"/report/{step}")
    browser.wait_for(shows)


def back_to(browser, step):
    """Goes back from the next page. The step must show no errors."""
    browser.driver.back()
    browser.wait_path(f"/report/{step}")
    browser.wait_for(CONTINUE[step])
    assert not browser.shows("errorSummary"), f"{step}: {browser.text('errorSummary')}"
    browser.driver.forward()


@check("Back and reload after an error in each step, with and without script: no form is sent twice")
def back_after_errors(world):
    for script in (True, False):
        browser = world.browser(script=script).open("/report/chip")
        if not script:  # the script removes non-digits while they are typed
            browser.type("chip", "12345abc")
            browser.click(CONTINUE["chip"])
            browser.wait_for("reportMissingPet.adjusted")
            reload(browser, "chip", "reportMissingPet.adjusted")
        go_on(browser, "chip", "photo")
        back_to(browser, "chip")
        browser.wait_path("/report/photo")
        for path in (None, image("cut-200.jpg")):
            if path:
                browser.pick(path)
            if not path or not script:
                browser.click(CONTINUE["photo"])
            browser.wait_for("animalPhoto.error")
            if not path or not script:
                reload(browser, "photo", "animalPhoto.error")
        browser.pick(named("back.jpg"))
        if script:
            browser.wait_for(CARD)
        go_on(browser, "photo", "description")
        back_to(browser, "photo")
        browser.wait_path("/report/description")
        describe(browser, age="41", petName="Rex")
        browser.click(CONTINUE["description"])
        browser.wait_for("errorSummary")
        reload(browser, "description", "errorSummary")
        assert browser.value("age") == "41" and browser.shows("#age-error")
        browser.type("age", "4")
        go_on(browser, "description", "contact")
        back_to(browser, "description")
        browser.wait_path("/report/contact")
        owner(browser, phone="12")
        browser.click(CONTINUE["contact"])
        browser.wait_for("errorSummary")
        reload(browser, "contact", "errorSummary")
        assert browser.value("phone") == "12" and browser.value("name") == "Ann"
        browser.type("phone", "600 100 200")
        go_on(browser, "contact", "review")
        back_to(browser, "contact")
        browser.wait_path("/report/review")


@check("a chosen date survives a reload after 0.2 s, a missing server and another tab; no false warning", seconds=12)
def reloaded_dates(world):
    server = world.own_server()
    browser = to_description(world.browser(server))
    days = [str(datetime.date.today() - datetime.timedelta(days=count)) for count in (3, 40, 5, 90)]
    for day, pause in zip(days, (0.2, 0.05, 0.45), strict=False):
        browser.set_date("date", day)
        time.sleep(pause)
        browser.driver.refresh()
        browser.wait(day, lambda day=day: browser.value("date") == day)
        time.sleep(1.2)
        assert browser.value("date") == day and not browser.text(UNSAVED), browser.text(UNSAVED)
        browser.driver.refresh()
        assert browser.value("date") == day, "the date is lost"
    server.kill()
    browser.set_date("date", days[3])
    browser.choose("species", "dog")
    browser.type("race", "Boxer")
    browser.wait("the warning", lambda: browser.text(UNSAVED).startswith("Not saved yet"))
    first = browser.new_tab()
    other = browser.driver.current_window_handle
    browser.to_tab(first)
    browser.driver.close()
    browser.to_tab(other)
    server.start()
    browser.open("/report/description")
    found = [browser.value(name) for name in ("date", "species", "race")]
    assert found == [days[3], "dog", "Boxer"], found
    browser.wait("saved", lambda: not browser.js("return Object.keys(localStorage).some((key) => key.startsWith('typed:'))"))
    assert not browser.text(UNSAVED), browser.text(UNSAVED)
    describe(browser)
    go_on(browser, "description", "contact")
    browser.open("/report/description")
    assert browser.value("date") == days[3]


@check("Publish, Close and Continue without a network: an error, nothing is lost, and the next tap works")
def buttons_offline(world):
    server = world.own_server()
    browser = to_review(world.browser(server))
    browser.line(offline=True)
    stays(browser, CONTINUE["review"], "/report/review")
    assert browser.focused() == "page.offline" and not browser.axe()
    assert not server.announcements()
    browser.line()
    go_on(browser, "review", "summary")
    assert len(server.announcements()) == 1
    code = browser.text("summary.password")
    # The server is down, but there is a network.
    browser.click("summary.forget")
    browser.wait_for("summary.closeButton")
    server.kill()
    stays(browser, "summary.closeButton", "/report/summary")
    server.start()
    browser.click("summary.forget.cancel")
    browser.wait_for("summary.password")
    assert browser.text("summary.password") == code
    browser.click("summary.forget")
    browser.wait_for("summary.closeButton")
    browser.click("summary.closeButton")
    browser.wait_path("/")
    browser.open("/report")
    server.kill()
    stays(browser, CONTINUE["chip"], "/report/chip")
    server.start()
    go_on(browser, "chip", "photo")


def stays(browser, button, path):
    browser.click(button)
    browser.wait_for("page.offline")
    assert browser.path == path and browser.shows(button), browser.driver.current_url
    assert not browser.all("button[aria-busy]")


@check("Back after publishing: the code, later the announcement, never an empty step; with and without script")
def back_after_publishing(world):
    for script in (True, False):
        server = world.own_server()
        browser = world.browser(server, script=script)
        if script:
            to_summary(browser)
        else:
            describe(send_photo(browser, "published.jpg", script))
            go_on(browser, "description", "contact")
            owner(browser)
            publish(browser)
        code = browser.text("summary.password")
        for _ in range(3):
            browser.driver.back()
            browser.wait_path("/report/summary")
            assert browser.text("summary.password") == code
        browser.click("summary.forget")
        browser.wait_for("summary.closeButton")
        browser.click("summary.closeButton")
        browser.wait_path("/")
        made = server.announcements()
        assert len(made) == 1
        for _ in range(2):
            browser.driver.back()
            browser.wait_path(f"/announcements/{made[0]['id']}")
        browser.open("/")
        browser.click("home.hero.lostPetButton")
        browser.wait_path("/report/chip")


def haversine(one, other):
    (lat1, lng1), (lat2, lng2) = one, other
    half = lambda degrees: math.sin(math.radians(degrees) / 2) ** 2  # noqa: E731
    inner = half(lat2 - lat1) + math.cos(math.radians(lat1)) * math.cos(math.radians(lat2)) * half(lng2 - lng1)
    return 2 * 6371 * math.asin(math.sqrt(inner))


@check("distances from the reader's position: equal on both pages, never sent, without a tap once allowed, gone with the permission")
def distances(world):
    server = world.own_server()
    pet, reader = (52.2297, 21.0122), (52.22512, 21.00507)
    server.announce(photo=image("orientation-1.jpg"), location={"latitude": pet[0], "longitude": pet[1]})
    for language, sign in (("en", "."), ("pl", ",")):
        browser = world.browser(server, language=language).open("/")
        assert not browser.all(DISTANCE)
        browser.allow_position(*reader)
        told = f"{haversine(reader, pet):.1f} km".replace(".", sign)
        for path in ("/", "/announcements"):
            browser.open(path)
            browser.wait(f"{told} on {path}", lambda: browser.text(DISTANCE) == told)
        browser.click("announcements.nearMe")
        browser.wait("the nearest", lambda: "lat=52.23&lng=21.01" in browser.driver.current_url)
        browser.wait(told, lambda: browser.text(DISTANCE) == told)
        assert not [address for address in browser.requests() if "52.225" in address or "21.005" in address]
        nearest = browser.driver.current_url.removeprefix(server.url)
        browser.forget_position()
        browser.wait("no distance", lambda: not browser.all(DISTANCE))
        for path in (nearest, "/announcements", "/"):
            browser.open(path)
            time.sleep(0.5)
            assert not browser.all(DISTANCE), f"{path}: {browser.text(DISTANCE)}"
        # A typed place is used without permission.
        browser.open("/announcements?lat=52.30&lng=21.01&sort=nearest")
        time.sleep(0.3)
        assert browser.text(DISTANCE) == "7,8 km".replace(",", sign), browser.text(DISTANCE)


@check("two tabs: after a link and Back, a page with conflicting edits still shows both versions")
def conflicting_tabs(world):
    for script in (True, False):
        browser = world.browser(script=script)
        browser.open("/report/contact")
        first = browser.new_tab()
        if not script:
            browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
        browser.open("/report/contact")
        owner(browser, name="Mia")
        browser.click("reportMissingPet.backButton")
        browser.wait_path("/report/description")
        browser.to_tab(first)
        owner(browser, name="Zoe")
        browser.click(CONTINUE["contact"])
        browser.wait_for("reportMissingPet.changed")
        browser.click("footer.privacy")
        browser.wait_path("/privacy")
        browser.driver.back()
        browser.wait_for("reportMissingPet.changed")
        assert browser.value("name") == "Zoe" and "Mia" in browser.text("reportMissingPet.changed")
