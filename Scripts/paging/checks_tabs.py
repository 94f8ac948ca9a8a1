"""Several tabs, several browsers, and pages that are shown again."""

import time

from .flow import CARD, CONTINUE, ZONE, attach, describe, status, to_description, to_photo
from .photos import large, named
from .registry import check

REMOVE = (
    "const form = document.querySelector('[data-testid=\"animalPhoto.remove\"]').form;"
    "form.requestSubmit(document.querySelector('[data-testid=\"animalPhoto.remove\"]'))"
)


def remove_elsewhere(browser):
    """Removes the photo in a second tab of the same browser."""
    first = browser.new_tab()
    browser.open("/report/photo")
    browser.wait_for(CARD)
    browser.js(REMOVE)
    browser.wait_gone(CARD)
    browser.driver.close()
    browser.to_tab(first)


@check("a page that is shown again, and one that stays open: the photo's current state", seconds=2)
def page_shown_again(world):
    browser = to_photo(world.browser())
    attach(browser, named("gone.jpg"))
    # Live: another tab removes the photo while this one is open.
    remove_elsewhere(browser)
    browser.wait_gone(CARD, 10)
    # Back to a page that the browser has kept.
    attach(browser, named("gone-too.jpg"))
    browser.open("/report/chip")
    remove_elsewhere(browser)
    browser.driver.back()
    browser.wait_path("/report/photo")
    browser.wait_gone(CARD, 5)
    # The same with events, because the driver disables the back/forward cache.
    attach(browser, named("gone-again.jpg"))
    browser.js("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    remove_elsewhere(browser)
    assert browser.shows(CARD), "the page is updated although it is suspended"
    browser.js("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    browser.wait_gone(CARD, 5)
    # The status arrives between a click on Continue and its form.
    attach(browser, named("present.jpg"))
    browser.js(
        "document.querySelector('[data-testid=\"animalPhoto.continue\"]').click();"
        "const main = document.querySelector('main'); main.replaceWith(main.cloneNode(true))"
    )
    browser.wait_path("/report/description")


@check("no unload; beforeunload only during an upload")
def unload_listeners(world):
    browser = to_photo(world.browser())
    assert "unload" not in browser.watched("listeners") and "beforeunload" not in browser.watched("listeners")
    browser.line(up=50_000, down=500_000)
    browser.drop(ZONE, large(1))
    browser.wait("beforeunload", lambda: "beforeunload" in browser.watched("listeners"))
    browser.line()
    browser.wait_for(CARD, 30)
    assert "beforeunload" not in browser.watched("listeners"), "the page still asks before the user leaves"
    for path in ("/", "/report/chip", "/report/description", "/report/contact"):
        browser.open(path)
        assert not {"unload", "beforeunload"} & set(browser.watched("listeners")), path


@check("two tabs of one draft, both Continue: the second gets a message and loses nothing")
def two_tabs(world):
    browser = to_description(world.browser())
    describe(browser, petName="First")
    time.sleep(1.5)  # until the text is saved
    first = browser.new_tab()
    browser.open("/report/description")
    describe(browser, petName="Second", race="Poodle")
    browser.click(CONTINUE["description"])
    browser.wait_path("/report/contact")
    browser.to_tab(first)
    browser.click(CONTINUE["description"])
    browser.wait_for("reportMissingPet.changed")
    assert browser.path == "/report/description" and "Poodle" in browser.text("reportMissingPet.changed")
    assert browser.value("petName") == "First" and browser.value("race") == "Boxer", "typed text is lost"
    # The message appears only once. A second Continue overwrites.
    browser.click(CONTINUE["description"])
    browser.wait_path("/report/contact")


@check("two browsers never see each other's draft or photo")
def two_browsers(world):
    one, other = to_photo(world.browser()), to_photo(world.browser())
    attach(one, named("mine.jpg"))
    address = one.js(
        "const found = document.querySelector('[data-testid=\"animalPhoto.preview\"]');"
        "return new URL((found.matches('img') ? found : found.querySelector('img')).src).pathname"
    )
    other.open("/report/photo")
    assert not other.shows(CARD) and status(other)["status"] == "empty"
    answer = other.driver.execute_async_script(
        "const done = arguments[arguments.length - 1]; fetch(arguments[0]).then((answer) => done(answer.status))", address
    )
    assert answer == 404, f"the other browser gets {answer} for {address}"
    cookies = {cookie["name"]: cookie for cookie in one.driver.get_cookies()}
    draft = cookies["draft"]
    assert draft["httpOnly"] and draft["sameSite"] == "Lax", draft
    time.sleep(0.2)


@check("no typed text is lost: reload, other pages, killed server, Continue while offline, two tabs", seconds=12)
def typed_text_survives(world):
    server = world.own_server()
    browser = to_description(world.browser(server))
    describe(browser, petName="Luna", description="Shy.")
    time.sleep(1)
    browser.driver.refresh()
    found = [browser.value(name) for name in ("petName", "species", "race", "latitude", "description")]
    assert found == ["Luna", "dog", "Boxer", "52.2297", "Shy."], found
    browser.type("age", "3")
    browser.open("/")
    browser.open("/report/description")
    assert browser.value("age") == "3", "lost by visiting another page"
    server.kill()
    browser.type("petName", "Nala")
    browser.wait("the warning", lambda: browser.text("reportMissingPet.unsaved").startswith("Not saved yet"))
    browser.click(CONTINUE["description"])
    time.sleep(0.5)
    assert browser.path == "/report/description" and browser.value("petName") == "Nala"
    server.start()
    browser.wait("saved", lambda: not browser.text("reportMissingPet.unsaved"))
    browser.line(offline=True)
    browser.type("age", "4")
    time.sleep(0.8)
    try:
        browser.driver.refresh()
    except Exception:  # noqa: BLE001 - there is no page offline
        pass
    browser.line()
    browser.open("/report/description")
    browser.wait("the text typed offline", lambda: browser.value("age") == "4")
    browser.wait("saved at last", lambda: browser.js("return Object.keys(localStorage).filter((key) => key.startsWith('typed:')).length") == 0)
    # Two tabs agree, or show a message.
    first = browser.new_tab()
    browser.open("/report/description")
    assert browser.value("age") == "4" and browser.value("petName") == "Nala"
    browser.type("petName", "Mia")
    time.sleep(1)
    browser.to_tab(first)
    browser.type("petName", "Zoe")
    browser.wait("the warning", lambda: "another tab" in browser.text("reportMissingPet.unsaved"))
    browser.click(CONTINUE["description"])
    browser.wait_for("reportMissingPet.changed")
    assert browser.value("petName") == "Zoe" and "Mia" in browser.text("reportMissingPet.changed")
    browser.click(CONTINUE["description"])
    browser.wait_path("/report/contact")
    browser.type("name", "Ann")
    browser.click("reportMissingPet.backButton")
    browser.wait_path("/report/description")
    browser.open("/report?new=1")
    browser.click("reportMissingPet.new.confirm")
    browser.wait_path("/report/chip")
    browser.open("/report/description")
    assert browser.value("petName") == "", "discarded text is back"
