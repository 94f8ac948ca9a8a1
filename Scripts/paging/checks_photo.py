"""The photo step: choosing, dropping, pasting, refusals, removing."""

import os
import time

from .flow import CARD, CONTINUE, ERROR, PROGRESS, TOAST, ZONE, attach, preview, status, to_photo
from .photos import folder, image, large, named
from .registry import check


@check("pick a JPEG: card, size, preview, focus, live text")
def pick_photo(world):
    browser = to_photo(world.browser())
    browser.js("arguments[0].focus()", browser.find("animalPhoto.fileInput.field"))
    attach(browser, named("my dog.jpg"))
    card = browser.text(CARD)
    assert "my dog.jpg" in card, card
    assert "2600" in card and "1500" in card, f"no dimensions: {card}"
    assert "KB" in card, f"no size: {card}"
    assert preview(browser)[0] > 0
    assert browser.js("return document.activeElement !== document.body"), "the focus is lost"
    browser.wait("live text", lambda: any("my dog.jpg" in words for words in browser.watched("spoken")))
    # The card must stay the same element, because replacing it could break a tap.
    stands = browser.find(CARD)
    browser.js("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    time.sleep(1.5)
    assert stands.is_displayed()


@check("drop a file on the zone, and outside of it")
def drop_photo(world):
    browser = to_photo(world.browser())
    browser.drop(ZONE, named("dropped.jpg"))
    browser.wait("card", lambda: "dropped.jpg" in browser.text(CARD))
    browser.drop("h1", named("beside.jpg"))
    time.sleep(1)
    assert browser.path == "/report/photo", f"the page was replaced: {browser.driver.current_url}"
    assert "dropped.jpg" in browser.text(CARD), "a file dropped outside of the zone was accepted"


@check("drop two files, a folder, a text: one message, and the old photo stays")
def drop_other_things(world):
    browser = to_photo(world.browser())
    attach(browser, named("old.jpg"))
    before = status(browser)["photo"]["id"]
    inner = os.path.join(folder(), "a-folder")
    os.makedirs(inner, exist_ok=True)
    wrong = {
        "two files": ((named("one.jpg"), named("two.jpg")), None),
        "a folder": ((inner,), None),
        "a text": ((), "words"),
    }
    for what, (paths, text) in wrong.items():
        browser.open("/report/photo")
        browser.drop(ZONE, *paths, text=text)
        browser.wait_for(ERROR)
        messages = [element for element in browser.all(ERROR) if element.is_displayed()]
        assert len(messages) == 1, f"{what}: {len(messages)} messages"
        browser.wait(f"{what}: focus", lambda: browser.focused() == "errorSummary")
        assert status(browser)["photo"]["id"] == before, f"{what}: the photo changed"
    attach(browser, named("better.jpg"))
    browser.wait("no error after a good one", lambda: not browser.shows(ERROR) and not browser.shows("errorSummary"))


@check("paste an image, and a text into a field")
def paste_photo(world):
    browser = to_photo(world.browser())
    browser.js("document.activeElement.blur()")
    browser.paste_image(image("srgb-tagged.png"))
    browser.wait_for(CARD)
    assert ".png" in browser.text(CARD)
    browser.open("/report/chip")
    field = browser.type("chip", "123456789")
    assert field.get_property("value") == "12345-6789", field.get_property("value")
    browser.js("arguments[0].select()", field)
    browser.cdp("Input.insertText", text="98765")
    assert field.get_property("value") == "98765", "a pasted text did not arrive in its field"


@check("pick a HEIC: the preview is a picture, upright")
def heic_preview(world):
    browser = to_photo(world.browser())
    attach(browser, image("portrait-phone.heic"), seconds=40)
    width, height = preview(browser)
    assert height > width, f"{width} × {height} is not upright"


@check("orientation 6, CMYK, animated GIF, one pixel")
def photo_kinds(world):
    browser = to_photo(world.browser())
    for name in ("orientation-6.jpg", "cmyk-adobe.jpg", "animated.gif", "one-pixel.jpg"):
        attach(browser, named(f"kind-{name}", of=name))
        browser.wait(name, lambda: f"kind-{name}" in browser.text(CARD))
        width, height = preview(browser)
        photo = status(browser)["photo"]
        assert (width > height) == (photo["pixelWidth"] > photo["pixelHeight"]), f"{name}: {width} × {height}"
        shift = browser.js(
            "return new Promise((done) => { let sum = 0; new PerformanceObserver((list) => {"
            " for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;"
            "}).observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 200); })"
        )
        assert shift < 0.05, f"{name}: the layout jumps by {shift:.2f}"
        if name == "animated.gif":
            kind = browser.js(
                "return fetch(document.querySelector('[data-testid=\"animalPhoto.preview\"]').closest('img')?.src"
                " ?? document.querySelector('[data-testid=\"animalPhoto.preview\"] img').src)"
                ".then((answer) => answer.headers.get('Content-Type'))"
            )
            assert kind in ("image/gif", "image/webp", "image/png"), f"the animation became {kind}"


@check("TIFF named .jpg, empty file, 25 MB, truncated JPEG: each has its own message, and the photo stays")
def refused_photos(world):
    browser = to_photo(world.browser())
    attach(browser, named("good.jpg"))
    before = status(browser)["photo"]["id"]
    sentences = {}
    for what, path, is_sent in (
        ("a TIFF", named("tiff.jpg", of="foreign.tiff"), True),
        ("an empty file", image("empty.jpg"), False),
        ("25 MB", large(25), False),
        ("a cut JPEG", image("cut-200.jpg"), True),
    ):
        browser.open("/report/photo")
        browser.requests()
        browser.pick(path)
        browser.wait(f"{what}: its message", lambda: browser.shows(ERROR), 30)
        browser.wait(f"{what}: the summary has the focus", lambda: browser.focused() == "errorSummary")
        sentences[what] = browser.text(ERROR)
        assert browser.title.startswith("Error:"), f"{what}: {browser.title}"
        sent = [address for address in browser.requests() if "/uploads" in address]
        assert bool(sent) == is_sent, f"{what}: {sent}"
        assert status(browser)["photo"]["id"] == before, f"{what}: the photo changed"
        assert browser.shows(CARD), f"{what}: the old card is gone"
    assert len(set(sentences.values())) == 4, sentences
    assert "tiff" in sentences["a TIFF"].lower(), sentences["a TIFF"]


@check("replace while the first is still uploading: the second wins")
def replace_while_uploading(world):
    browser = to_photo(world.browser())
    browser.line(up=100_000, down=500_000)
    browser.drop(ZONE, large(2, "first.jpg"))
    browser.wait("progress", lambda: browser.watched("sent") > 50_000, 20)
    browser.drop(ZONE, named("second.jpg"))
    browser.line()
    names = set()

    def has_second():
        names.add(browser.text(CARD).split("\n")[0])
        return "second.jpg" in browser.text(CARD)

    browser.wait("the second one's card", has_second, 20)
    time.sleep(2)
    assert "second.jpg" in browser.text(CARD) and not any("first" in name for name in names), names
    assert not browser.shows(PROGRESS)
    assert status(browser)["photo"]["fileName"] == "second.jpg"


@check("remove, then the same file again; one file refused twice")
def remove_photo(world):
    browser = to_photo(world.browser())
    path = named("again.jpg")
    attach(browser, path)
    browser.click("animalPhoto.remove")
    browser.wait_gone(CARD)
    assert status(browser)["status"] == "empty"
    attach(browser, path)
    browser.open("/report/photo")
    for _ in range(2):
        browser.pick(image("cut-200.jpg"))
        browser.wait_for(ERROR)
        browser.js("document.querySelector('[data-testid=\"animalPhoto.error\"]').remove()")


@check("Continue without a photo: a toast for 3.0 s, restarted by each tap, gone on confirmation", seconds=10)
def continue_without_photo(world):
    # The server's page has the message too: without script, and when it is loaded again.
    browser = to_photo(world.browser())
    browser.click(CONTINUE["photo"])
    browser.wait_for(TOAST)
    assert browser.path == "/report/photo"
    browser.wait("focus on the summary", lambda: browser.focused() == "errorSummary")
    time.sleep(2)
    browser.click(CONTINUE["photo"])
    browser.wait_for(TOAST)
    start = time.monotonic()
    time.sleep(2)
    assert browser.shows(TOAST), "the second tap did not restart the 3 s"
    browser.wait_gone(TOAST, 3)
    shown = time.monotonic() - start
    assert 2.4 < shown < 4, f"{shown:.1f} s instead of 3.0"
    assert browser.shows("errorSummary"), "the toast was the only message"
    # A confirmed photo removes the toast.
    browser.click(CONTINUE["photo"])
    browser.wait_for(TOAST)
    attach(browser)
    assert not browser.shows(TOAST) and not browser.shows("errorSummary")


@check("Continue during the upload waits and then continues; stays if the photo is refused or cancelled", seconds=8)
def continue_while_uploading(world):
    browser = to_photo(world.browser())
    for file, then in ((large(1, "slow.jpg"), "/report/description"), (image("cut-200.jpg"), "/report/photo")):
        browser.open("/report/photo")
        browser.line(up=40_000, down=500_000, delay=300)
        browser.drop(ZONE, file)
        browser.wait_for(PROGRESS)
        browser.click(CONTINUE["photo"])
        assert browser.path == "/report/photo" and not browser.shows(TOAST) and not browser.shows("errorSummary")
        assert browser.find(CONTINUE["photo"]).get_attribute("aria-busy") == "true"
        assert "continue" in browser.text("animalPhoto.upload").lower(), browser.text("animalPhoto.upload")
        browser.line()
        if then == "/report/photo":
            browser.wait_for(ERROR, 30)
            assert browser.find(CONTINUE["photo"]).get_attribute("aria-busy") != "true"
        browser.wait_path(then, 30)
    assert status(browser)["photo"]["fileName"].endswith("slow.jpg")
    browser.line(up=30_000, down=500_000)
    browser.drop(ZONE, large(2, "slower.jpg"))
    browser.wait_for(PROGRESS)
    browser.click(CONTINUE["photo"])
    browser.click("animalPhoto.cancel")
    browser.line()
    browser.wait_gone(PROGRESS)
    time.sleep(1)
    assert browser.path == "/report/photo" and browser.find(CONTINUE["photo"]).get_attribute("aria-busy") != "true"
