"""Fields of the steps: numbers, places, dates, breeds, counters, hostile names."""

import datetime
import json
import os
import re
import time
from zoneinfo import ZoneInfo

from .flow import CARD, CONTINUE, attach, describe, go_on, owner, publish, send_photo, to_description, to_photo
from .photos import image, named
from .registry import check

GPS = "animalDescription.requestGPSButton.tap"


@check("Polish: decimal comma, 1 rok, 2 lata, 5 lat")
def polish(world):
    server = world.own_server()
    browser = to_description(world.browser(server, language="pl"))
    assert browser.find("html").get_attribute("lang") == "pl"
    describe(browser, latitude="52,2297", longitude=" 21,0122 ", age="5")
    go_on(browser, "description", "contact")
    owner(browser)
    publish(browser)
    location = server.announcements()[0]["location"]
    assert abs(location["latitude"] - 52.2297) < 1e-6, location
    for age, words in ((1, "1 rok"), (2, "2 lata"), (5, "5 lat"), (22, "22 lata")):
        made = server.announce(photo=image("orientation-1.jpg"), age=age)
        browser.open(f"/announcements/{made['id']}")
        shown = browser.text("main")
        assert words in shown and not (age == 5 and "5 lata" in shown), f"{age}: {shown}"


@check("no position request before the tap")
def position_only_by_tap(world):
    browser = world.browser().open("/")
    assert browser.watched("positions") == 0
    browser.open("/announcements")
    assert browser.watched("positions") == 0
    to_description(browser)
    assert browser.watched("positions") == 0
    browser.allow_position()
    browser.click(GPS)
    browser.wait("one request", lambda: browser.watched("positions") == 1)


@check("position granted, denied each time, unavailable, timeout")
def position_errors(world):
    browser = to_description(world.browser())
    browser.allow_position(52.22970001, -21.5)
    browser.click(GPS)
    browser.wait("5 decimals", lambda: (browser.value("latitude"), browser.value("longitude")) == ("52.22970", "-21.50000"))
    told = set()
    browser.deny_position()
    for _ in range(2):
        browser.click(GPS)
        told.add(browser.wait("the alert", lambda: alert_of(browser)))
        close_alert(browser)
    browser.lose_position()
    browser.click(GPS)
    told.add(browser.wait("the message", lambda: alert_of(browser)))
    assert len(told) == 2, told
    close_alert(browser)
    browser.js("window.positionFault = 3")
    browser.click(GPS)
    browser.wait("the message", lambda: alert_of(browser))
    # Entered values stay, and the user can still type.
    assert browser.value("latitude") == "52.22970"
    describe(browser)
    go_on(browser, "description", "contact")


@check("step 3 at a slow typist's pace within 90 s; 20 positions within 5 s each", seconds=35)
def slow_typist(world):
    """Seed 021, SC-001 and SC-003, as far as they can be measured automatically."""
    browser = to_description(world.browser())
    browser.allow_position()
    begin, keys = time.monotonic(), 0
    browser.choose("species", "dog")
    words = {
        "petName": "Rex", "race": "Golden Retriever", "age": "5",
        "description": "Blue collar, limps a little, comes to his name.",
    }  # fmt: skip
    for name, text in words.items():
        for key in text:
            browser.find(f'[name="{name}"]').send_keys(key)
            time.sleep(0.33)
            keys += 1
    browser.click("animalDescription.gender.male.tap")
    took = []
    for count in range(20):
        for name in ("latitude", "longitude"):
            browser.find(f'[name="{name}"]').clear()
        tapped = time.monotonic()
        browser.click(GPS)
        browser.wait("the position", lambda: browser.value("latitude") and browser.value("longitude"), 10)
        took.append(time.monotonic() - tapped)
        if count == 0:
            form = time.monotonic() - begin
    assert max(took) < 5, took
    go_on(browser, "description", "contact")
    assert form < 90, form
    print(f"({keys} keys in {form:.0f} s, position after {max(took):.1f} s at most) ", end="")


@check("position: exactly as the browser reports it; the alert explains the settings and continues once allowed")
def exact_position(world):
    browser = to_description(world.browser())
    browser.deny_position()
    browser.click(GPS)
    browser.wait_for("animalDescription.permissionAlert")
    assert not browser.shows("[data-how-to]")
    browser.click("animalDescription.permissionAlert.goToSettings")
    browser.wait("where the settings are", lambda: browser.shows("[data-how-to]"))
    assert browser.value("locationPermission") == "denied"
    # Once it is allowed, the page requests the position at once, so it must be set before.
    browser.cdp("Emulation.setGeolocationOverride", latitude=52.2297, longitude=21.0122, accuracy=10)
    browser.allow_position(52.2297, 21.0122)
    browser.wait_gone("animalDescription.permissionAlert")
    browser.wait("the position", lambda: browser.value("latitude") == "52.22970")
    assert browser.value("locationPermission") == "authorizedWhenInUse"
    assert browser.value("captured").startswith("52.22970 21.01220 1"), browser.value("captured")
    browser.type("latitude", "52.3")
    assert browser.value("captured") == "edited"


@check("position: said to be public beside both buttons; open, removable and rounded on request; a rough one is asked about")
def public_position(world):
    for language, public in (("en", "Everyone will see this spot on a map."), ("pl", "To miejsce każdy zobaczy na mapie.")):
        browser = to_photo(world.browser(world.own_server(), language=language))
        attach(browser, image("gps-exif.jpg"))
        go_on(browser, "photo", "description")
        assert public in browser.text("#spot-hint") and not browser.find("#latitude").is_displayed()
        assert browser.find("#near").get_attribute("aria-describedby") == "near-help near-counter"
        for button, hint in ((GPS, "spot-hint"), ("animalDescription.usePhotoPosition.tap", "photo-offer")):
            assert browser.find(button).get_attribute("aria-describedby") == hint
        browser.allow_position(52.22971, 21.01229, accuracy=2500)
        browser.click(GPS)
        browser.wait("the question", lambda: "2500 m" in (alert_of(browser) or ""))
        assert browser.find("#latitude").is_displayed() and browser.value("latitude") == ""
        browser.click("animalDescription.useRough.tap")
        browser.wait("the position", lambda: browser.value("latitude") == "52.22971")
        browser.click("animalDescription.removeLocation.tap")
        assert browser.value("latitude") == browser.value("longitude") == "" and not browser.shows("animalDescription.removeLocation.tap")
        browser.click("animalDescription.roundLocation")
        browser.allow_position(52.22971, 21.01229)
        browser.click(GPS)
        browser.wait("a rounded position", lambda: (browser.value("latitude"), browser.value("longitude")) == ("52.230", "21.012"))
        assert not browser.axe()
    browser = to_photo(world.browser(script=False))
    browser.pick(image("gps-exif.jpg"))
    go_on(browser, "photo", "description")
    browser.click("animalDescription.roundLocation")
    browser.click("animalDescription.usePhotoPosition.tap")
    browser.wait("a rounded position", lambda: re.fullmatch(r"-?\d+\.\d{3}00", browser.value("latitude") or ""))
    assert browser.find("#latitude").is_displayed() and not browser.all("animalDescription.usePhotoPosition.tap")
    browser.click("animalDescription.removeLocation.tap")
    browser.wait("no position", lambda: browser.value("latitude") == "" and browser.all("animalDescription.usePhotoPosition.tap"))


@check("full disk: step 1 says so first; the page of the error names whom to ask, and nothing is said about disks")
def full_disk(world):
    server = world.own_server("--keep-free", "90000GB", "--operator-name", "Schronisko", "--operator-contact", "pomoc@example.org")
    for language in ("en", "pl"):
        browser = world.browser(server, language=language).open("/report/chip")
        assert browser.shows("report.full")
        browser.click(CONTINUE["chip"])
        browser.wait_for("error.contact")
        shown = browser.text("main")
        assert "pomoc@example.org" in shown and not re.search("disk|dysk|Free some|Zwolnij", shown), shown
        assert not browser.axe()


def alert_of(browser):
    """Returns the text of an alert: a dialog, or a live text at the button."""
    return browser.js(
        "const open = document.querySelector('dialog[open]');"
        "return (open ?? document.querySelector('[data-testid=\"animalDescription.locationStatus\"]'))?.textContent.trim() || null"
    )


def close_alert(browser):
    if browser.shows("dialog[open]"):
        browser.click("animalDescription.permissionAlert.cancel")
    browser.wait_gone("dialog[open]")
    browser.js(
        "const told = document.querySelector('[data-testid=\"animalDescription.locationStatus\"]');"
        "if (told) told.textContent = ''"
    )


@check("Kiritimati and Pago Pago: today accepted, tomorrow refused, the day unchanged")
def time_zones(world):
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        server = world.own_server()
        browser = world.browser(server)
        browser.time_zone(zone)
        to_description(browser)
        today = datetime.datetime.now(ZoneInfo(zone)).date()
        assert browser.value("date") in (str(today), today.strftime("%d.%m.%Y")), f"{zone}: default {browser.value('date')}"
        describe(browser, date=str(today + datetime.timedelta(days=1)))
        browser.click(CONTINUE["description"])
        browser.wait_for("errorSummary")
        describe(browser, date=str(today))
        go_on(browser, "description", "contact")
        owner(browser)
        publish(browser)
        day = server.announcements()[0]["dateOfDisappearance"]
        assert day.startswith(str(today)), f"{zone}: {day} instead of {today}"


@check("breed: disabled without a species, cleared by a new one, with suggestions; also without script")
def breed(world):
    browser = to_description(world.browser())
    field = browser.find('[name="race"]')
    assert not field.is_enabled() and field.get_attribute("placeholder") == "Choose species first"
    browser.choose("species", "dog")
    assert field.is_enabled() and field.get_attribute("placeholder") != "Choose species first"
    dogs = suggestions(browser)
    field.send_keys("Boxer")
    browser.choose("species", "cat")
    assert field.get_property("value") == ""
    cats = suggestions(browser)
    assert dogs and cats and not set(dogs) & set(cats), (dogs[:3], cats[:3])
    plain = send_photo(world.browser(script=False), "race.jpg", script=False)
    waits = ("pointer-events", "none")
    assert plain.find("#race").value_of_css_property(waits[0]) == waits[1] and plain.shows("#race-help")
    plain.choose("species", "dog")
    assert plain.find("#race").value_of_css_property(waits[0]) != waits[1] and not plain.shows("#race-help")
    describe(plain)
    go_on(plain, "description", "contact")


def suggestions(browser):
    return browser.js(
        "return [...(document.querySelector('[name=race]').list?.options ?? [])].map((option) => option.value)"
    )


@check("500 emoji count as 500; the 501st is ignored with a message; more than 8,000 bytes is an error")
def character_counter(world):
    browser = to_description(world.browser())
    family = "👩‍👩‍👧‍👦"
    emoji = family * 250 + "🇵🇱" * 125 + "🐕" * 125  # 7,750 bytes
    browser.js("document.querySelector('[name=description]').focus()")
    browser.cdp("Input.insertText", text=emoji)
    browser.wait("500/500", lambda: "500/500" in browser.text("main"))
    browser.cdp("Input.insertText", text="x")
    browser.wait("the message", lambda: any("500" in words for words in browser.watched("spoken")))
    assert browser.value("description") == emoji
    browser.js("document.querySelector('[name=description]').select()")
    browser.cdp("Input.insertText", text=family * 321)
    describe(browser)
    browser.click(CONTINUE["description"])
    browser.wait_for("errorSummary")
    assert browser.shows("#description-error") and browser.value("description").startswith(family * 320)
    browser.js("document.querySelector('[name=description]').select()")
    browser.cdp("Input.insertText", text=emoji)
    describe(browser)
    go_on(browser, "description", "contact")


@check("file names with markup, RTL override, 300 characters: escaped, wrapped, no overflow at 320 px")
def file_names(world):
    browser = to_photo(world.browser(width=320, height=700))
    for name in ("<img src=x onerror=alert(1)>.jpg", "a\u202egpj.exe.jpg", "&lt;b&gt;&amp;.jpg"):
        attach(browser, named(name))
        browser.wait(name, lambda name=name: name.split(">")[0].split("\u202e")[0] in browser.text(CARD))
        no_overflow(browser, name)
        assert not browser.js("return document.querySelector('main img[src=x], main b')"), f"{name} became markup"
    long = "very-long-name-" * 19 + "end-of-300.jpg"
    with open(image("orientation-1.jpg"), "rb") as file:
        data = list(file.read())
    browser.js(
        "const field = document.querySelector('[data-testid=\"animalPhoto.fileInput.field\"]'), all = new DataTransfer();"
        "all.items.add(new File([new Uint8Array(arguments[0])], arguments[1])); field.files = all.files;"
        "field.dispatchEvent(new Event('change', {bubbles: true}))",
        data, long,
    )  # fmt: skip
    browser.wait("the long name", lambda: "very-long-name" in browser.text(CARD))
    no_overflow(browser, "300 characters")
    browser.resize(1280, 900)
    assert not browser.console(), browser.console()


def no_overflow(browser, what):
    width = browser.js("return [document.scrollingElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], f"{what}: {width[0]} px wide on a screen of {width[1]}"


@check("an unavailable list of species: a message, the old list is used, Refresh loads the new one")
def species_unavailable(world):
    server = world.own_server()
    newer = os.path.join(server.folder, "newer.json")
    server.kill()
    server.environment["PETSPOT_TAXONOMY"] = newer
    server.start()
    for script in (True, False):
        browser = to_description(world.browser(server)) if script else world.browser(server, script=False)
        browser.open("/report/description")
        assert browser.shows("animalDescription.speciesOffline") == (script or not os.path.exists(newer))
        if script:
            browser.type("petName", "Rex")
            with open(newer, "w", encoding="utf-8") as file:
                json.dump({"version": 99, "options": [{"id": "ferret", "names": {"en": "Ferret", "pl": "Fretka"}}]}, file)
            time.sleep(5)  # the server doesn't ask its source more often
            browser.click("animalDescription.speciesRetry.tap")
            browser.wait("the new list", lambda: not browser.shows("animalDescription.speciesOffline"))
            assert browser.find("#petName").get_attribute("value") == "Rex"
        assert [one.text for one in browser.all("#species option")][1:] == ["Ferret"]


@check("Enter in a field works like Continue")
def enter_key(world):
    browser = to_description(world.browser())
    describe(browser)
    browser.find("#petName").send_keys("Rex\n")
    browser.wait_path("/report/contact")
    owner(browser)
    browser.find("#reward").send_keys("\n")
    browser.wait_path("/report/review")
