"""Finders and returning owners: search by place and with typos, back to the list, printing, offline, questions that
are asked once."""

import base64
import datetime

from .checks_fields import no_overflow
from .checks_neighbors import names
from .flow import CONTINUE, attach, describe, go_on, owner, to_contact, to_description, to_summary
from .photos import image
from .registry import check


@check("finder: search by place, species and with a typo; places on cards, two columns on a phone, feeds of searches")
def finder(world):
    server = world.own_server()
    server.announce(photo=image("orientation-1.jpg"), petName="Śnieżka", near="Mokotów, ul. Puławska", breed="Samojed", sex="female")
    server.announce(photo=image("orientation-1.jpg"), petName="Reksio", species="dog", description="Szary")
    server.announce(photo=image("orientation-1.jpg"), petName="Mruczek", species="cat", description="Szary", reward="100 zł")
    found = {"Mokotów": ["Śnieżka"], "mokotow": ["Śnieżka"], "pulawska": ["Śnieżka"], "dog": ["Reksio", "Śnieżka"], "kot szary": ["Mruczek"],
             "reksjo": ["Reksio"], "mruzcek": ["Mruczek"], "samoyed": ["Śnieżka"], "uławska": ["Śnieżka"], "okot": [], "kot reksio": [],
             "na Mokotowie": ["Śnieżka"], "pieski": ["Reksio", "Śnieżka"], "suczka": ["Śnieżka", "Reksio"], "kotka": ["Mruczek"], "szarego": ["Mruczek", "Reksio"]}  # fmt: skip
    for language, script in (("en", True), ("pl", False)):
        browser = world.browser(server, language=language, script=script, width=390, height=844).open("/")
        for text, expected in found.items():
            browser.type("q", text + "\n")
            browser.wait(text, lambda text=text, expected=expected: browser.path == "/announcements" and browser.value("q") == text and names(browser) == expected)
            assert f"“{text}”" in browser.text("h1") or f"„{text}”" in browser.text("h1"), browser.text("h1")
        browser.open("/announcements")
        card = browser.text(".pets li:last-child")
        assert "Mokotów, ul. Puławska" in card and "52" not in card, card
        boxes = [element.rect for element in browser.all("main .pet")]
        assert boxes[0]["y"] == boxes[1]["y"] and boxes[2]["y"] > boxes[0]["y"], boxes
        assert browser.find("main .portrait").rect["width"] > 160 and (not script or boxes[0]["y"] < 400), boxes
        browser.resize(360, 740)
        prize, badge = browser.find(".pets li:first-child .prize").rect, browser.find(".pets li:first-child .badge").rect
        assert prize["y"] + prize["height"] <= badge["y"], (prize, badge)
        browser.resize(1280, 800)
        tops = [browser.find(f"announcements.{part}").rect["y"] for part in ("species.other", "nearMe")]
        assert not script or abs(tops[0] - tops[1]) < 4, tops
        browser.open("/announcements?q=mokotow")
        links = [link.get_attribute("href") for link in browser.all('link[rel="alternate"]')]
        assert links == [f"{server.url}/announcements.{kind}?q=mokotow" for kind in ("atom", "json")], links
        assert len(server.get("/announcements.json?q=mokotow")["items"]) == 1


@check("announcement: full-size photo, back to the same place in the list, text message, publication date, phone in print")
def announcement_page(world):
    server = world.own_server()
    for number in range(21):
        server.announce(photo=image("portrait-phone.heic"), petName=f"Rex {number}", near="Wola", description="Shy. " * 90)
    for script in (True, False):
        browser = world.browser(server, script=script, width=390, height=600).open("/announcements?q=rex&species=dog")
        left = browser.driver.current_url
        browser.js("scrollTo(0, 1000)")
        browser.click(".pets li:nth-child(9) .name")
        browser.wait("one", lambda: browser.path.startswith("/announcements/"))
        assert browser.find("announcement.message").get_attribute("href") == "sms:+48600100200"
        assert browser.find("announcement.call").get_attribute("href") == "tel:+48600100200"
        assert str(datetime.date.today().year) in browser.text("announcement.published")
        large = browser.find("announcement.zoom").get_attribute("href")
        assert large.startswith(server.url + "/images/") and large.endswith(".jpg"), large
        browser.click("announcement.back")
        browser.wait("the list", lambda: browser.driver.current_url == left)
        if script:
            browser.wait("where it was left", lambda: browser.js("return scrollY") > 500)
    one = f"/announcements/{server.announcements()[0]['id']}"
    for width, height in ((390, 844), (844, 390), (740, 360), (640, 450), (1280, 800), (320, 568)):
        browser.resize(width, height)
        browser.open(one)
        for place in ("0", "document.body.scrollHeight / 2"):
            browser.js(f"scrollTo(0, {place})")
            missing = browser.js(
                "const inside = (part) => { const box = part.getBoundingClientRect(); return box.height && box.top >= 0 && box.bottom <= innerHeight + 1; };"
                "const bar = document.querySelector('.call-bar'), isFixed = getComputedStyle(bar).position === 'fixed';"
                "return [!inside(document.querySelector('[data-testid=\"announcement.call\"]')) && 'call',"
                " ![...document.querySelectorAll('.spot')].some(inside) && 'place', isFixed && bar.offsetHeight > innerHeight * .3 && 'room'].filter(Boolean)"
            )
            assert not missing, f"no {missing} at {width} by {height}, scrolled {place}"
    browser.media(prefers_color_scheme="light")
    browser.cdp("Emulation.setEmulatedMedia", media="print")
    printed = browser.text("main")
    assert "+48 600 100 200" in printed and "Wola" in printed, printed
    assert len(base64.b64decode(browser.cdp("Page.printToPDF")["data"])) > 1000


@check("offline: a page that can't be loaded shows a translated message; typed text comes back", seconds=4)
def offline_page(world):
    for language, title in (("en", "No connection"), ("pl", "Brak połączenia")):
        server = world.own_server()
        browser = to_description(world.browser(server, language=language))
        browser.wait("the worker", lambda: browser.driver.execute_async_script(
            "const done = arguments[0]; navigator.serviceWorker.ready.then(() => caches.match('/offline', {ignoreVary: true})).then((one) => done(Boolean(one)))"))  # fmt: skip
        server.kill()
        browser.type("petName", "Śnieżka")
        browser.wait("the warning", lambda: browser.text("reportMissingPet.unsaved"))
        browser.driver.refresh()
        browser.wait("the offline page", lambda: browser.text("h1") == title)
        assert browser.shows("offline.typed") and not browser.axe()
        server.start()
        browser.click("offline.retry")
        browser.wait("back again", lambda: browser.value("petName") == "Śnieżka")


@check("a short phone number is questioned once; coordinates are folded; a fractional age gets an example; chip in one tap")
def unusual_values(world):
    for script in (True, False):
        server = world.own_server()
        browser = world.browser(server, script=script).open("/report")
        go_on(browser, "chip", "photo")
        browser.pick(image("orientation-1.jpg"))
        if script:
            browser.wait_for("animalPhoto.confirmationCard")
        go_on(browser, "photo", "description")
        assert not browser.find("#latitude").is_displayed()
        describe(browser, age="0.5")
        browser.click(CONTINUE["description"])
        browser.wait_for("errorSummary")
        assert browser.text("#age-error").startswith("Age must be between 0 and 40") and "e.g." in browser.text("#age-error")
        assert browser.find("#latitude").is_displayed()
        browser.type("age", "5")
        go_on(browser, "description", "contact")
        owner(browser, phone="600 10 200")
        browser.click(CONTINUE["contact"])
        browser.wait_for("ownersDetails.phoneQuestion")
        assert browser.path == "/report/contact" and browser.value("phone") == "600 10 200"
        go_on(browser, "contact", "review")


@check("after publishing: check mark, pet, share, poster and next steps stay; the code can be hidden and shown")
def after_publishing(world):
    server = world.own_server()
    browser = to_contact(world.browser(server))
    owner(browser)
    go_on(browser, "contact", "review")
    go_on(browser, "review", "summary")
    code = browser.text("summary.password")
    assert browser.shows("summary.photo") and browser.shows("h1 .tick")
    browser.click("summary.toggle")
    assert not browser.shows("summary.password")
    for part in ("share", "poster", "see"):
        assert browser.shows(f"summary.{part}"), part
    browser.click("summary.toggle")
    assert browser.text("summary.password") == code
    browser.resize(360, 740)
    browser.js("document.documentElement.style.fontSize = '200%'")
    no_overflow(browser, "large letters")
    assert browser.find("summary.bodyParagraph1").rect["width"] > 200
    assert browser.text("summary.address") == server.announcements()[0]["shortUrl"]


@check("several reports in a row: the contact is offered, all codes stay on one page and can be downloaded; one button forgets them")
def several_reports(world):
    server = world.own_server()
    browser = to_summary(world.browser(server))
    codes = [browser.text("summary.password")]
    assert not browser.all("summary.reports")
    browser.click("summary.again")
    browser.wait_path("/report/chip")
    go_on(browser, "chip", "photo")
    attach(browser)
    go_on(browser, "photo", "description")
    describe(browser, species="cat", race="Persian")
    go_on(browser, "description", "contact")
    assert (browser.value("name"), browser.value("phone")) == ("Ann", "+48 600 100 200")
    go_on(browser, "contact", "review")
    go_on(browser, "review", "summary")
    codes.append(browser.text("summary.password"))
    shown = browser.text("summary.reports")
    assert all(code in shown for code in codes) and "Cat" in shown and "Dog" in shown, shown
    file = browser.driver.execute_async_script("const done = arguments[0]; fetch('/report/summary?codes=1').then((answer) => answer.text()).then(done)")
    assert all(code in file for code in codes) and browser.shows("summary.print"), file
    assert not browser.axe()
    browser.click("summary.forget")
    browser.click("summary.closeButton")
    browser.wait_path("/")
    assert not browser.all("landingPage.lastCode")
