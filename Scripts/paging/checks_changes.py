"""Changes of a report: from the review to a field and back, and on the owner's page."""

from .flow import CONTINUE, go_on, owner, publish, to_contact, to_review
from .registry import check

SHIFT = (
    "return new Promise((done) => { let sum = 0; new PerformanceObserver((list) => {"
    " for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;"
    "}).observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 300); })"
)


@check("review: each Change leads into its field, Continue leads back, and nothing moves while the page loads")
def review_changes(world):
    browser = world.browser(world.mailing_server()).open("/")
    browser.resize(390, 844)
    to_review(browser)
    for part, step, field in (("photo", "photo", "photo"), ("description", "description", "petName"),
                              ("contact", "contact", "name"), ("chip", "chip", "chip")):  # fmt: skip
        browser.click(f"review.change.{part}")
        browser.wait_path(f"/report/{step}")
        browser.wait(f"focus on {field}", lambda field=field: browser.js("return document.activeElement.id") == field)
        go_on(browser, step, "review")
    for link, step, field in (("#race", "description", "race"), ("#email", "contact", "email")):
        browser.find(f'.facts a[href$="{link}"]').click()
        browser.wait(f"focus on {field}", lambda field=field: browser.js("return document.activeElement.id") == field)
        browser.type(field, {"race": "Pug", "email": "ann@example.org"}[field])
        go_on(browser, step, "review")
    assert "Pug" in browser.text("main") and "ann@example.org" in browser.text("main")
    browser.line(down=50_000, delay=100)
    browser.open("/report/review")
    browser.wait("the preview", lambda: browser.js("return document.querySelector('.preview').naturalWidth"))
    assert browser.js(SHIFT) < 0.05 and not browser.axe(), browser.js(SHIFT)
    browser.line()
    go_on(browser, "review", "summary")
    assert "ann@example.org" in browser.text("summary.mailed")


@check("owner: the browser that published needs no code, is asked before it leaves typed text, and before the code is gone")
def own_browser(world):
    server = world.own_server()
    browser = to_contact(world.browser(server))
    owner(browser)
    publish(browser)
    code = browser.text("summary.password")
    one = f"/announcements/{server.announcements()[0]['id']}"
    browser.open(one)
    browser.click("announcement.owner")
    browser.wait_for("owner.save")
    assert not browser.axe() and browser.shows("owner.share")
    asks = "const event = new Event('beforeunload', {cancelable: true}); dispatchEvent(event); return event.defaultPrevented"
    assert not browser.js(asks)
    browser.type("age", "7")
    assert browser.js(asks)
    browser.click("owner.save")
    browser.wait_for("owner.done")
    assert browser.value("age") == "7" and not browser.js(asks)
    browser.click("owner.close")
    browser.wait_for("owner.close.confirm")
    browser.click("owner.close.confirm")
    browser.wait_for("owner.reopen")
    browser.open(one)
    assert browser.text("error.title") == "The dog is back home" and not browser.axe()
    browser.open("/report/summary")
    browser.click("summary.forget")
    browser.wait_for("summary.forget.cancel")
    browser.click("summary.forget.cancel")
    browser.wait_for("summary.password")
    assert browser.text("summary.password") == code
    browser.click("summary.forget")
    browser.wait_for("summary.closeButton")
    browser.click("summary.closeButton")
    browser.wait_for("landingPage.note")
    browser.open(one + "/owner")
    assert browser.shows("owner.code")


@check("a day in the future is named with the day that stays; wrong fields have a red border; the way back into a report")
def wrong_fields(world):
    browser = to_contact(world.browser())
    browser.click(CONTINUE["contact"])
    browser.wait_for("errorSummary")
    red, line = (browser.js(f"return getComputedStyle(document.querySelector('#{field}')).borderTopColor") for field in ("phone", "reward"))
    assert red != line and red == browser.js("return getComputedStyle(document.querySelector('.error')).color"), (red, line)
    browser.open("/report/description")
    browser.set_date("date", "2130-12-04")
    browser.click(CONTINUE["description"])
    browser.wait_for("#date-error")
    told = browser.text("#date-error")
    assert told.startswith("The date cannot be in the future. December 4, 2130 hasn’t come yet, so we kept "), told
    browser.open("/")
    assert browser.text("home.hero.lostPetButton") == "Continue your report (step 4 of 4)", browser.text("home.hero.lostPetButton")
    fresh = world.browser().open("/report/chip")
    assert not fresh.all('a[href="/report?new=1"]')
