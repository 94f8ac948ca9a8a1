"""The whole report: without script, with the keyboard only, with errors, in two languages, submitted once."""

import re
import threading
import time

from selenium.webdriver import ActionChains

from .browser import ENTER, SPACE, TAB
from .flow import CARD, CONTINUE, TOAST, attach, describe, go_on, owner, publish, send_photo, status, to_contact, to_description, to_photo, to_review
from .photos import image, named
from .registry import check


def whole_report(browser):
    """Files a report from the landing page to the code with links, fields and buttons only."""
    browser.open("/")
    browser.click("home.hero.lostPetButton")
    browser.wait("the report", lambda: browser.path.startswith("/report"))
    go_on(browser, "chip", "photo")
    browser.pick(named("whole.jpg"))
    if not browser.shows(CARD):
        browser.click(CONTINUE["photo"])
    browser.wait("step 3", lambda: browser.path == "/report/description" or browser.shows(CARD))
    if browser.path == "/report/photo":
        go_on(browser, "photo", "description")
    describe(browser)
    go_on(browser, "description", "contact")
    owner(browser)
    publish(browser)
    code = browser.text("summary.password")
    assert len(code) >= 6, f"no code: {code!r}"


def alive_buttons(browser):
    """Returns the visible buttons that submit nothing and need a script."""
    return browser.js(
        "return [...document.querySelectorAll('button')].filter((button) => button.checkVisibility()"
        " && (button.type === 'button' || !button.form)).map((button) => button.outerHTML)"
    )


@check("script off: the whole report")
def script_off(world):
    server = world.own_server()
    browser = world.browser(server, script=False)
    whole_report(browser)
    assert len(server.announcements()) == 1


@check("script blocked: the whole report, no dead button")
def script_blocked(world):
    server = world.own_server()
    browser = world.browser(server, block=["*.js", "*.js?*"])
    for path in ("/", "/report/chip", "/report/photo", "/report/description", "/report/contact"):
        browser.open(path)
        assert not alive_buttons(browser), f"{path}: {alive_buttons(browser)}"
    browser.js("document.cookie = ''")
    whole_report(browser)
    assert not alive_buttons(browser), alive_buttons(browser)
    assert len(server.announcements()) == 1


REACHABLE = """
return [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((part) =>
  part.checkVisibility({checkVisibilityCSS: true}) && !part.disabled && part.tabIndex >= 0 && part.type !== "hidden"
  && !(part.type === "radio" && part !== document.getElementsByName(part.name)[0])
).map((part) => { part.dataset.place ??= String(window.places = (window.places ?? 0) + 1); return part.dataset.place; })
"""
FOCUSED = """
const at = document.activeElement, style = getComputedStyle(at), label = at.labels?.[0];
const near = [at, label, at.parentElement].filter(Boolean).map((part) => getComputedStyle(part));
return [at.dataset.place ?? null, near.some((style) => (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
  || style.boxShadow !== "none"), at.outerHTML.slice(0, 100)];
"""


def tab_through(browser):
    """Tab must reach every control in the order of the page, with a visible focus."""
    browser.js("document.activeElement.blur(); scrollTo(0, 0)")
    places = browser.js(REACHABLE)
    reached = []
    for _ in range(2 * len(places) + 10):  # a date has several stops
        browser.press(TAB)
        place, is_seen, html = browser.js(FOCUSED)
        if place and place not in reached:
            reached.append(place)
            assert is_seen, f"{browser.path}: no visible focus on {html}"
        if len(reached) == len(places):
            break
    missed = [place for place in places if place not in reached]
    assert not missed, f"{browser.path}: not reached: " + browser.js(
        "return document.querySelector(`[data-place='${arguments[0]}']`).outerHTML.slice(0, 100)", missed[0]
    )
    # Tab starts where the page had put the focus, and wraps around.
    first = reached.index(min(reached, key=int))
    reached = reached[first:] + reached[:first]
    assert reached == sorted(reached, key=int), f"{browser.path}: the order is {reached}"


@check("keyboard only through all steps")
def keyboard(world):
    browser = to_photo(world.browser())
    browser.open("/report/chip")
    tab_through(browser)
    browser.find("missingPet.microchip.input").send_keys("123", ENTER)
    browser.wait_path("/report/photo")
    attach(browser)
    tab_through(browser)
    browser.find(CONTINUE["photo"]).send_keys(ENTER)
    browser.wait_path("/report/description")
    browser.find('select[name="species"]').send_keys("D")
    browser.wait("a species by its letter", lambda: browser.value("species") == "dog")
    tab_through(browser)
    browser.find('input[name="race"]').send_keys("Boxer")
    browser.find('input[name="gender"]').send_keys(SPACE)
    browser.find(CONTINUE["description"]).send_keys(ENTER)
    browser.wait_path("/report/contact")
    tab_through(browser)
    browser.type("name", "Ann")
    browser.type("phone", "600100200").send_keys(ENTER)
    browser.wait_path("/report/review")
    tab_through(browser)
    browser.find(CONTINUE["review"]).send_keys(ENTER)
    browser.wait_path("/report/summary")
    tab_through(browser)


STEPS = {"chip": ("Microchip number", "1/4"), "photo": ("Pet photo", "2/4"),
         "description": ("Animal description", "3/4"), "contact": ("Your contact details", "4/4")}  # fmt: skip
KEYBOARDS = {"chip": {"chip": "numeric"}, "photo": {}, "contact": {"phone": "tel", "email": "email"},
             "description": {"age": "numeric", "latitude": "decimal", "longitude": "decimal"}}  # fmt: skip


@check("titles, progress, Back in the corner, the blue Continue, keyboards; a copied code, gone after Close")
def page_heads(world):
    browser = to_contact(world.browser(world.mailing_server()))
    for step, (title, progress) in STEPS.items():
        browser.open(f"/report/{step}")
        assert browser.text("h1") == title, browser.text("h1")
        assert browser.text("reportMissingPet.progressIndicator").startswith(progress), step
        back = browser.find("missingPet.microchip.backButton" if step == "chip" else "reportMissingPet.backButton")
        above = browser.js("return document.querySelector('h1').getBoundingClientRect().top") - back.rect["y"]
        left = browser.js("return document.querySelector('main').getBoundingClientRect().left")
        assert above > 0 and back.rect["x"] - left < 40, f"{step}: Back at {back.rect}"
        red, green, blue = [int(part) for part in re.findall(r"\d+", browser.find(CONTINUE[step]).value_of_css_property("background-color"))[:3]]
        assert blue > 200 and blue > 2 * red and blue > 2 * green, (step, red, green, blue)
        for name, keyboard in KEYBOARDS[step].items():
            assert browser.find(f"#{name}").get_attribute("inputmode") == keyboard, name
    owner(browser)
    publish(browser)
    assert not browser.all("reportMissingPet.progressIndicator")
    code = browser.text("summary.password")
    browser.allow_clipboard()
    browser.click("summary.copyButton")
    browser.wait_for("summary.toast")
    assert browser.copied() == code, browser.copied()
    browser.click("summary.forget")
    browser.wait_for("summary.closeButton")
    browser.click("summary.closeButton")
    browser.wait_path("/")
    browser.open("/report/summary")
    assert code not in browser.driver.page_source and browser.path.startswith("/announcements/"), browser.path


@check("a day more than 20 years ago: questioned once, then accepted; also without script")
def old_date(world):
    for script in (True, False):
        browser = send_photo(world.browser(script=script), "old.jpg", script)
        describe(browser)
        browser.find("#date").send_keys("02292004")
        browser.click(CONTINUE["description"])
        browser.wait_for("animalDescription.longAgo")
        assert not browser.shows("errorSummary") and browser.value("date") == "2004-02-29"
        go_on(browser, "description", "contact")


@check("double click on Submit; Submit, Back, Submit: one announcement")
def submit_twice(world):
    server = world.own_server()
    browser = to_review(world.browser(server))
    ActionChains(browser.driver).double_click(browser.find(CONTINUE["review"])).perform()
    browser.wait_path("/report/summary")
    code = browser.text("summary.password")
    assert code, "no code"
    time.sleep(1)
    assert len(server.announcements()) == 1
    browser.driver.back()
    # The browser already has a new report, which has nothing to publish.
    browser.wait("a page", lambda: browser.js("return document.readyState === 'complete'"))
    if browser.path == "/report/review" and browser.shows(CONTINUE["review"]):
        browser.click(CONTINUE["review"])
        browser.wait("an answer", lambda: browser.js("return document.readyState === 'complete'"))
        time.sleep(1)
    made = server.announcements()
    assert len(made) == 1, f"{len(made)} announcements"


@check("server killed while it creates the announcement, Submit again: the same one, with its photo", seconds=10)
def killed_in_submit(world):
    for delay in (0.01, 0.05, 0.12, 0.25):
        server = world.own_server()
        browser = to_review(world.browser(server))
        killer = threading.Timer(delay, server.kill)
        button = browser.find(CONTINUE["review"])
        browser.driver.set_page_load_timeout(10)
        browser.js("window.isOld = true; setTimeout(() => arguments[0].click(), 0)", button)
        killer.start()
        killer.join()
        server.start()
        time.sleep(0.3)
        browser.open("/report")
        # A request to the killed server may end after this, and keep the old page.
        here = "return window.isOld !== true && location.protocol.startsWith('http')"
        browser.wait("a new page", lambda: browser.js(here) or browser.open("/report"))
        if browser.path == "/report/review":
            go_on(browser, "review", "summary")
        if browser.path == "/report/chip":  # the response had arrived, and only its page was lost
            browser.open("/report/summary")
        browser.wait_path("/report/summary")
        made = server.announcements()
        assert len(made) == 1 and made[0].get("photoUrl"), f"after {delay} s: {made}"
        server.stop()
        world.own.remove(server)


def check_errors(browser, step, least):
    """The summary must list all errors, with links to their fields, which show the same text."""
    browser.click(CONTINUE[step])
    browser.wait_for("errorSummary")
    browser.wait("focus on the summary", lambda: browser.focused() == "errorSummary")
    assert browser.title.startswith("Error:"), browser.title
    links = browser.all('[data-testid="errorSummary"] a')
    assert len(links) >= least, [link.text for link in links]
    for link in links:
        words, target = link.text, link.get_attribute("href").split("#")[1]
        link.click()
        # The breed field is enabled only after a species is chosen.
        there = "species" if target == "race" and not browser.find("#race").is_enabled() else target
        browser.wait(f"focus on {there}", lambda there=there: browser.js("return document.activeElement.id") == there)
        told = browser.js(
            "const field = document.getElementById(arguments[0]);"
            "const group = field.closest('fieldset');"
            "const ids = [field, group].map((part) => part?.getAttribute('aria-describedby') ?? '').join(' ').split(/\\s+/);"
            "return [field.getAttribute('aria-invalid') ?? group?.getAttribute('aria-invalid'),"
            "  ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ')]",
            target,
        )
        is_group = browser.all(f"#{target} input[type=radio]")  # a group of radios cannot be aria-invalid
        assert told[0] == "true" or is_group, f"{target} is not aria-invalid"
        assert words in told[1], f"{target} says {told[1]!r}, the summary {words!r}"


@check("all fields wrong: summary, links, the same text at the field; errors clear at once")
def all_fields_wrong(world):
    browser = to_description(world.browser(world.mailing_server()))
    browser.set_date("date", "2199-01-01")
    for name, value in {"age": "99", "latitude": "99", "longitude": "abc"}.items():
        browser.type(name, value)
    check_errors(browser, "description", 7)
    browser.choose("species", "cat")
    left = [element.text for element in browser.all('[data-testid="errorSummary"] li')]
    assert len(left) <= 5, f"the errors of species and breed are not cleared: {left}"
    assert not browser.js("return document.querySelector('[name=species]').hasAttribute('aria-invalid')")
    assert browser.value("age") == "99" and browser.value("longitude") == "abc", "typed text is lost"
    browser.set_date("date", "2026-01-05")
    describe(browser, age="3")
    go_on(browser, "description", "contact")
    browser.type("phone", "12")
    browser.type("email", "nobody")
    check_errors(browser, "contact", 3)


@check("switch the language within a step: texts change, input and photo stay")
def switch_language(world):
    browser = to_description(world.browser())
    browser.type("petName", "Żółw & <Co>")
    browser.choose("species", "cat")
    browser.type("race", "Manx")
    identifiers = (
        "return [...document.querySelectorAll('[data-testid]')].map((part) => part.dataset.testid)"
        ".filter((id) => !id.startsWith('liveStatus')).sort()"
    )
    before, heading = browser.js(identifiers), browser.text("h1")
    browser.click("language.pl")
    browser.wait("Polish", lambda: browser.find("html").get_attribute("lang") == "pl")
    assert browser.path == "/report/description"
    assert browser.text("h1") != heading
    found = [browser.value(name) for name in ("petName", "species", "race")]
    assert found == ["Żółw & <Co>", "cat", "Manx"], found
    after = browser.js(identifiers)
    assert after == before, set(after) ^ set(before)
    browser.open("/report/photo")
    assert browser.shows(CARD) and browser.find("html").get_attribute("lang") == "pl"
    browser.click("language.en")
    browser.wait("English", lambda: browser.find("html").get_attribute("lang") == "en")


@check("Back from step 3 and forward again; the page's own Back button loses no typed text")
def back_and_forward(world):
    browser = to_description(world.browser())
    browser.resize(1280, 500)
    browser.type("petName", "Rex")
    browser.choose("species", "dog")
    browser.type("race", "Boxer")
    browser.js("scrollTo(0, 200)")
    browser.driver.back()
    browser.wait_path("/report/photo")
    browser.wait_for(CARD)
    browser.driver.forward()
    browser.wait_path("/report/description")
    # Pages with a draft are no-store. The browser keeps none of their fields, and sends nothing by itself.
    browser.type("petName", "Rex")
    browser.choose("species", "dog")
    browser.type("race", "Boxer")
    browser.click("reportMissingPet.backButton")
    browser.wait_path("/report/photo")
    browser.driver.refresh()  # the response to a POST would ask whether to send again
    browser.wait_for(CARD)
    go_on(browser, "photo", "description")
    assert browser.value("petName") == "Rex" and browser.value("race") == "Boxer", "typed text is lost by Back"
    assert status(browser)["status"] == "confirmed"


@check("script off: errors, toast, removing and replacing the photo", seconds=3)
def script_off_errors(world):
    browser = world.browser(script=False).open("/report/chip")
    go_on(browser, "chip", "photo")
    browser.click(CONTINUE["photo"])
    browser.wait_for("errorSummary")
    assert browser.shows(TOAST)
    browser.pick(image("cut-200.jpg"))
    browser.click(CONTINUE["photo"])
    browser.wait_for("animalPhoto.error")
    browser.pick(named("plain.jpg"))
    browser.click(CONTINUE["photo"])
    browser.wait_path("/report/description")
    browser.open("/report/photo")
    browser.wait_for(CARD)
    browser.click("animalPhoto.remove")
    browser.wait_gone(CARD)


@check("review: everything that others will see, each step can be changed, only Publish publishes; the code stays until Close")
def review(world):
    for script in (True, False):
        server = world.mailing_server()
        browser = world.browser(server, script=script).open("/report/chip")
        browser.type("chip", "985000000000123")
        go_on(browser, "chip", "photo")
        send_photo(browser, "whole.jpg", script)
        describe(browser, petName="Luna", near="Wola", description="Shy.")
        go_on(browser, "description", "contact")
        assert "send your code" in browser.text("#email-help")
        owner(browser, email="ann@example.org", reward="100 zł")
        go_on(browser, "contact", "review")
        assert not server.announcements() and not browser.all("reportMissingPet.progressIndicator")
        words = browser.text("main")
        for part in ("Luna", "Boxer", "Shy.", "Wola", "52.2297° N", "Ann", "+48 600 100 200", "Reward: 100 zł", "ann@example.org", "98500-00000-00123"):
            assert part in words, part
        browser.open("/report")
        browser.wait_path("/report/review")
        for step in ("photo", "description", "contact", "chip"):
            browser.click(f"review.change.{step}")
            browser.wait_path(f"/report/{step}")
            browser.open("/report/review")
        browser.click("review.change.description")
        browser.wait_path("/report/description")
        browser.type("petName", "Nala")
        go_on(browser, "description", "review")
        go_on(browser, "review", "summary")
        assert [one["petName"] for one in server.announcements()] == ["Nala"]
        code = browser.text("summary.password")
        browser.open("/")
        browser.click("landingPage.lastCode")
        browser.wait_path("/report/summary")
        assert browser.text("summary.password") == code
        browser.open("/")
        browser.click("home.hero.lostPetButton")
        browser.wait_path("/report/chip")
        assert browser.value("chip") == "", "the next report has text of the last one"
        browser.type("chip", "123")
        go_on(browser, "chip", "photo")
        browser.open("/report/summary")
        browser.click("summary.forget")
        browser.wait_for("summary.closeButton")
        browser.click("summary.closeButton")
        browser.wait_path("/")
        assert not browser.all("landingPage.lastCode")
        browser.open("/report/summary")
        assert code not in browser.driver.page_source and browser.path == "/report/photo", browser.path
