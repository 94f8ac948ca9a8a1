"""The list and an announcement as neighbors use them: search, species, nearest; share, map, call."""

from .photos import image
from .registry import check

ITEM = '[data-testid^="animalList.item."]'
ANDROID = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36"


def names(browser):
    return [element.text for element in browser.all(".pets .name")]


@check("list: search, species and nearest, by tap or typed, all in the URL; help if nothing is found")
def list_search(world):
    server = world.own_server()
    places = {"ŻÓŁWIK": (52.3, 21.0, "reptile"), "Rex": (52.1, 21.0, "dog"), "Ala": (52.2, 21.0, "dog")}
    for name, (latitude, longitude, species) in places.items():
        server.announce(
            photo=image("orientation-1.jpg"), petName=name, species=species,
            location={"latitude": latitude, "longitude": longitude},
        )  # fmt: skip
    for script in (True, False):
        browser = world.browser(server, script=script, language="en").open("/announcements")
        assert names(browser) == ["Ala", "Rex", "ŻÓŁWIK"], names(browser)
        browser.type("q", "zolwik\n")
        browser.wait("one found", lambda browser=browser: names(browser) == ["ŻÓŁWIK"])
        assert browser.driver.current_url.endswith("/announcements?q=zolwik"), browser.driver.current_url
        assert browser.text("h1") == "1 report: “zolwik”", browser.text("h1")
        browser.click("announcements.species.dog")  # without a second click
        browser.wait_for("announcements.all")
        assert browser.text("h1") == "Nothing found: “zolwik”, Dog", browser.text("h1")
        assert not browser.all(ITEM) and "species=dog" in browser.driver.current_url
        browser.click("announcements.all")
        browser.wait("all", lambda browser=browser: len(names(browser)) == 3)
        browser.click("announcements.species.dog")
        browser.wait("dogs", lambda browser=browser: names(browser) == ["Ala", "Rex"])
        if script:
            assert not browser.find("#lat").is_displayed()
            browser.allow_position(52.10049, 21.00312)
        else:
            browser.click("announcements.nearMe")
            browser.wait("what is missing", lambda browser=browser: "where you are" in browser.text(".place .notice"))
            browser.type("lat", "52,10049")
            browser.type("lng", "21.00312")
        browser.click("announcements.nearMe")
        browser.wait("the nearest first", lambda browser=browser: names(browser) == ["Rex", "Ala"])
        address = browser.driver.current_url
        assert address.endswith("?species=dog&sort=nearest&lat=52.10&lng=21.00"), address
        assert "11.1 km" in browser.text("main")
        browser.driver.find_element("link text", "up to 5 km").click()
        browser.wait("only what is near", lambda browser=browser: names(browser) == ["Rex"])
        assert browser.text("h1") == "1 report: Dog, up to 5 km", browser.text("h1")
        assert browser.driver.current_url == address + "&range=5"


@check("announcement: share sheet or copy, a map; on a phone the call bar stays and covers nothing")
def share_and_call(world):
    server = world.own_server()
    made = server.announce(photo=image("orientation-1.jpg"), description="Shy. " * 80, near="by the lake")
    one = f"/announcements/{made['id']}"
    browser = world.browser(server).open(one)
    browser.allow_clipboard()
    browser.js("delete Navigator.prototype.share")
    browser.click("announcement.share")
    browser.wait_for("announcement.toast")
    short = server.get("/api/v1" + one)["shortUrl"]
    assert browser.copied() == short, browser.copied()
    browser.js("navigator.share = (what) => { window.shared = what; return Promise.resolve(); }")
    browser.click("announcement.share")
    browser.wait("the sheet", lambda: browser.js("return window.shared?.url") == short)
    shared = browser.js("return window.shared")
    assert shared["title"] == "Missing dog, by the lake", shared
    assert shared["text"].startswith("Last seen: by the lake. Missing since January 2, 2026. Dog, Boxer, male."), shared
    assert shared["text"].endswith("Please call +48 600 100 200."), shared
    preview = browser.find('meta[property="og:description"]').get_attribute("content")
    assert preview.startswith("Last seen: by the lake.") and "600" not in preview, preview
    assert browser.find("announcement.map").get_attribute("href").startswith("https://www.openstreetmap.org/?mlat=52.22970")
    assert not browser.all("announcement.mapApp") and "Dog, name not given" in browser.text("h1")
    browser.cdp("Network.setUserAgentOverride", userAgent=ANDROID)
    browser.resize(390, 844)
    browser.open(one)
    assert browser.find("announcement.mapApp").get_attribute("href").startswith("geo:52.22970,21.01220")
    for place in ("0", "document.body.scrollHeight"):
        browser.js(f"scrollTo(0, {place})")
        bar = browser.js("const box = document.querySelector('.call-bar').getBoundingClientRect(); return [box.top, box.bottom, innerHeight]")
        assert bar[0] > 640 and abs(bar[1] - bar[2]) < 2, bar
    covered = browser.js(
        "const bar = document.querySelector('.call-bar').getBoundingClientRect();"
        "return [...document.querySelectorAll('main a, main button, main input')].filter((part) => !part.closest('.call-bar')"
        " && part.getBoundingClientRect().bottom > bar.top).map((part) => part.outerHTML.slice(0, 80))"
    )
    assert not covered, f"under the bar at the end of the page: {covered}"
    browser.resize(320, 256)
    assert browser.js("return getComputedStyle(document.querySelector('.call-bar')).position") != "fixed"


@check("owner: the code opens the page; edit, new photo, close and erase after a question; with and without script")
def owner_page(world):
    server = world.mailing_server()
    for script in (True, False):
        made = server.announce(photo=image("orientation-1.jpg"), petName="Rex", email="ann@example.org")
        one = f"/announcements/{made['id']}"
        polish = world.browser(world.server, script=script, language="pl")
        other = world.server.announce(photo=image("orientation-1.jpg"))
        polish.open(f"/announcements/{other['id']}/owner")
        assert "Nie masz już kodu?" in polish.text("owner.noCode") and not polish.all("owner.lostCode")
        polish.type("code", other["managementPassword"])
        polish.click("owner.enter")
        assert polish.wait_for("owner.save") and polish.value("latitude") == "52,2297", polish.value("latitude")
        browser = world.browser(server, script=script).open(one)
        browser.click("announcement.owner")
        browser.wait_path(one + "/owner")
        assert browser.shows("owner.lostCode") and not browser.axe() if script else not browser.all("owner.noCode")
        browser.type("code", made["managementPassword"])
        browser.click("owner.enter")
        browser.wait_for("owner.save")
        assert browser.value("email") == "ann@example.org" and browser.value("race") == "Boxer"
        # A concurrent change by the same owner is reported once, no typed text is lost, and the second save
        # overwrites.
        browser.type("petName", "Nala")
        server.change(made, ownerPhone="+48 600 100 201")
        browser.click("owner.save")
        browser.wait_for("owner.changed")
        assert "+48 600 100 201" in browser.text("owner.changed") and browser.value("petName") == "Nala"
        assert [item["petName"] for item in server.announcements()] == ["Rex"]
        browser.click("owner.save")
        browser.wait_for("owner.done")
        assert [item["petName"] for item in server.announcements()] == ["Nala"]
        before = server.announcements()[0]["photoUrl"]
        # One button saves everything, and a photo that is refused loses no typed text.
        browser.type("petName", "Max")
        browser.find("owner.photo.fileInput").send_keys(image("cut-200.jpg"))
        browser.click("owner.save")
        browser.wait_for("#photo-error")
        assert browser.value("petName") == "Max" and server.announcements()[0]["photoUrl"] == before
        browser.type("phone", "12")
        browser.find("owner.photo.fileInput").send_keys(image("portrait-phone.heic"))
        assert not script or not browser.all("#photo-error")
        browser.click("owner.save")
        browser.wait("another photo", lambda: server.announcements()[0]["photoUrl"] != before)
        browser.wait_for("#phone-error")
        assert browser.value("petName") == "Max" and "photo" in browser.text("owner.done")
        browser.type("phone", "+48 600 100 201")
        browser.type("petName", "Nala")
        browser.click("owner.save")
        browser.wait_gone("errorSummary")
        browser.wait_for("owner.done")
        cookies = [cookie for cookie in browser.cdp("Network.getAllCookies")["cookies"] if cookie["name"] == "owner"]
        assert [(cookie["path"], cookie["httpOnly"]) for cookie in cookies] == [(one + "/owner", True)], cookies
        # Closing asks for confirmation, a closed announcement can be reopened, and its page says thanks.
        browser.click("owner.close")
        browser.wait_for("owner.close.confirm")
        assert server.announcements()
        for _ in range(2):
            browser.click("owner.close.confirm")
            browser.wait_for("owner.reopen")
            assert not server.announcements()
            browser.click("owner.reopen")
            browser.wait_for("owner.done")
            assert [item["petName"] for item in server.announcements()] == ["Nala"]
            browser.click("owner.close")
            browser.wait_for("owner.close.confirm")
        browser.click("owner.close.other")
        browser.wait_for("owner.reopen")
        browser.open(one)
        assert "Nala" in browser.text("error.text") and "Thank you" in browser.text("error.text")
        browser.click("announcement.owner")
        browser.click("owner.erase")
        browser.wait_for("owner.erase.confirm")
        browser.click("owner.erase.confirm")
        browser.wait_path(one)
        assert not browser.all("announcement.owner") and "deleted" in browser.text("main")
        browser.open(one + "/owner")
        assert not browser.all("owner.code")


@check("poster: its URL as text and as a QR code, and a button that prints")
def poster_code(world):
    server = world.own_server()
    made = server.announce(photo=image("orientation-1.jpg"))
    browser = world.browser(server).open(f"/announcements/{made['id']}/poster")
    assert browser.text("poster.address") == server.get(f"/api/v1/announcements/{made['id']}")["shortUrl"]
    box = browser.find("poster.code").rect
    assert box["width"] > 100 and abs(box["width"] - box["height"]) < 1, box
    assert "ago" not in browser.text("article") and "January 2, 2026" in browser.text("article")
    browser.js("window.print = () => { window.printed = true; }")
    browser.click("poster.print")
    assert browser.js("return window.printed")
