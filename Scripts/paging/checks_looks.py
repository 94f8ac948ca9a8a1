"""How pages look, and how large they are: axe, zoom, spacing, colors, targets, console, network."""

import base64
import os
import re
import urllib.request
from urllib.parse import urlparse

from .checks_fields import no_overflow
from .flow import CARD, CONTINUE, PROGRESS, ZONE, describe, go_on, owner, to_photo
from .photos import image, large, named
from .registry import check


def states(browser, server):
    """Visits every page in every state and yields the name of each."""
    for path in ("/", "/announcements"):
        browser.open(path)
        yield path.strip("/") or "landing"
    made = server.announce(photo=image("orientation-6.jpg"), petName="Rex", reward="100")
    one = f"/announcements/{made['id']}"
    for name, path in {
        "landing with a card": "/", "announcements with one": "/announcements", "announcement": one,
        "poster": one + "/poster", "404": "/nothing-here", "privacy": "/privacy", "report, begin anew": "/report?new=1",
        "found": "/announcements?species=dog&lat=52.23&lng=21.01&sort=nearest", "nothing found": "/announcements?q=nothing",
        "offline": "/offline",
    }.items():  # fmt: skip
        browser.open(path)
        yield name
    browser.open(one)
    browser.click("announcement.owner")
    browser.wait_for("owner.code")
    yield "owner, code"
    browser.type("code", "AAAA-AAAA")
    browser.click("owner.enter")
    browser.wait_for("errorSummary")
    yield "owner, wrong code"
    browser.type("code", made["managementPassword"])
    browser.click("owner.enter")
    browser.wait_for("owner.save")
    yield "owner"
    browser.type("phone", "12")
    browser.click("owner.save")
    browser.wait_for("errorSummary")
    yield "owner, errors"
    browser.click("owner.erase")
    browser.wait_for("owner.erase.confirm")
    yield "owner, erase"
    browser.click("owner.erase.cancel")
    browser.wait_for("owner.close")
    browser.click("owner.close")
    browser.wait_for("owner.close.confirm")
    yield "owner, close"
    browser.click("owner.close.confirm")
    browser.wait_for("owner.reopen")
    yield "owner, closed"
    browser.open(one)
    yield "announcement, closed"
    to_photo(browser)
    browser.open("/report/chip")
    yield "chip"
    browser.open("/report/photo")
    yield "photo, empty"
    browser.click(CONTINUE["photo"])
    browser.wait_for("errorSummary")
    yield "photo, error"
    browser.line(up=20_000, down=500_000)
    browser.drop(ZONE, large(1))
    browser.wait_for(PROGRESS)
    yield "photo, loading"
    browser.line()
    browser.wait_for(CARD, 30)
    yield "photo, confirmed"
    go_on(browser, "photo", "description")
    yield "description"
    browser.click(CONTINUE["description"])
    browser.wait_for("errorSummary")
    yield "description, errors"
    describe(browser)
    go_on(browser, "description", "contact")
    yield "contact"
    browser.click(CONTINUE["contact"])
    browser.wait_for("errorSummary")
    yield "contact, errors"
    owner(browser)
    go_on(browser, "contact", "review")
    yield "review"
    go_on(browser, "review", "summary")
    yield "summary"
    browser.click("summary.forget")
    browser.wait_for("summary.closeButton")
    yield "summary, forget the code"
    browser.click("summary.closeButton")
    browser.wait_for("landingPage.note")
    yield "landing, code forgotten"


@check("axe on every page and state, en and pl, 320 and 1280 px, light and dark")
def accessibility(world):
    faults, runs = {}, 0
    for language in ("en", "pl"):
        server = world.own_server()
        browser = world.browser(server, language=language)
        for state in states(browser, server):
            for width in (320, 1280):
                for scheme in ("light", "dark"):
                    browser.resize(width, 900)
                    browser.media(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
                    runs += 1
                    for fault in browser.axe():
                        faults.setdefault(fault, f"{state} ({language}, {width} px, {scheme})")
                    if world.screens and language == "en":
                        os.makedirs(world.screens, exist_ok=True)
                        browser.shoot(os.path.join(world.screens, f"{state} {width} {scheme}.png".replace("/", "-")))
            browser.resize(1280, 900)
    for fault, state in faults.items():
        print(f"\n  {state}: {fault}", end="")
    assert not faults, f"{len(faults)} violations in {runs} runs"


@check("zoom 400 %, text spacing, forced colors, reduced motion, dark: no loss, no scroll, no animation")
def zoom_and_colors(world):
    server = world.own_server()
    browser = world.browser(server)
    for state in states(browser, server):
        browser.resize(320, 256)  # 1280 × 1024 at 400 %
        no_overflow(browser, f"{state} at 400 %")
        browser.resize(320, 900)
        # WCAG 2.2, 1.4.12
        browser.js(
            "const sheet = new CSSStyleSheet(); sheet.replaceSync('* {line-height: 1.5 !important;"
            " letter-spacing: .12em !important; word-spacing: .16em !important} p {margin-bottom: 2em !important}');"
            "document.adoptedStyleSheets = [sheet]"
        )
        no_overflow(browser, f"{state} with text spacing")
        clipped = browser.js(
            "return [...document.querySelectorAll('main *')].filter((part) => part.checkVisibility() && part.textContent.trim()"
            " && getComputedStyle(part).overflowY === 'hidden' && part.scrollHeight > part.clientHeight + 2"
            " && part.clientHeight > 1).map((part) => part.outerHTML.slice(0, 100))"
        )
        assert not clipped, f"{state}: cut by spacing: {clipped[0]}"
        browser.js("document.adoptedStyleSheets = []")
        browser.media(prefers_reduced_motion="reduce", prefers_color_scheme="dark", forced_colors="none")
        moving = browser.js(
            "return document.getAnimations().filter((one) => one.playState === 'running'"
            "  && !/steps?\\b|step-/.test(getComputedStyle(one.effect.target).animationTimingFunction))"
            ".map((one) => (one.animationName ?? one.transitionProperty) + ' of ' + one.effect.target.outerHTML.slice(0, 80))"
        )
        assert not moving, f"{state}: moves although motion is reduced: {moving[0]}"
        light = browser.js(
            "const color = getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).map(Number);"
            "return color[3] === 0 ? getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number) : color"
        )
        assert sum(light[:3]) < 3 * 100, f"{state}: no dark page: {light}"
        browser.media(forced_colors="active")
        no_overflow(browser, f"{state} with forced colors")
        borders = browser.js(
            "return [...document.querySelectorAll('main button:not(.visually-hidden), main input:not([type=file], [type=hidden], [type=radio], [type=checkbox]), main select')]"
            ".filter((part) => part.checkVisibility() && getComputedStyle(part).borderTopStyle === 'none'"
            " && getComputedStyle(part).outlineStyle === 'none').map((part) => part.outerHTML.slice(0, 100))"
        )
        assert not borders, f"{state}: no border in forced colors: {borders[0]}"
        browser.media(forced_colors="none", prefers_color_scheme="light", prefers_reduced_motion="no-preference")
        browser.resize(1280, 900)


@check("targets of at least 24 px, main buttons of 44 px")
def target_sizes(world):
    server = world.own_server()
    browser = world.browser(server)
    for state in states(browser, server):
        for width in (390, 1280):
            browser.resize(width, 900)
            # WCAG 2.2, 2.5.8: links in a sentence are exempt, and a label is part of its control.
            small = browser.js(
                "return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter((part) => {"
                " if (!part.checkVisibility({checkVisibilityCSS: true}) || part.type === 'hidden' || part.tabIndex < 0) return false;"
                " if (part.closest('p, li') && part.matches('a')) return false;"
                " const boxes = [part, ...(part.labels ?? [])].map((one) => one.getBoundingClientRect());"
                " return !boxes.some((box) => box.width >= 24 && box.height >= 24);"
                "}).map((part) => part.outerHTML.slice(0, 120))"
            )
            assert not small, f"{state} at {width} px: {small[0]}"
            for button in [*CONTINUE.values(), "home.hero.lostPetButton", "summary.closeButton"]:
                for element in browser.all(button):
                    assert element.rect["height"] >= 44, f"{state}: {button} is {element.rect['height']} px high"
        browser.resize(1280, 900)


@check("console and network: no error, no foreign host, gzipped scripts < 14 KB, worker < 2 KB, first paint < 1 s on 3G")
def console_and_network(world):
    server = world.own_server()
    browser = world.browser(server)
    browser.console()
    browser.requests()
    scripts = set()
    for state in states(browser, server):
        scripts.update(browser.js("return [...document.scripts].map((script) => script.src || script.outerHTML)"))
        expected = {"404": 404, "owner, wrong code": 403, "announcement, closed": 410}
        noise = [line for line in browser.console() if f"status of {expected.get(state)} " not in line]
        assert not noise, f"{state}: {noise[0]}"
        inline = browser.js("return document.querySelectorAll('[style], style, script:not([src]), [onclick], [onerror]').length")
        # Scripts set the width of the progress bar, the place of a toast and the type size of a poster. CSP allows
        # that.
        assert inline - len(browser.all('[data-testid="animalPhoto.progress"] > [style], .toast[style], .poster[style]')) == 0, f"{state}: inline"
    hosts = {urlparse(address).netloc for address in browser.requests() if not address.startswith(("data:", "blob:"))}
    assert hosts <= {urlparse(server.url).netloc}, hosts
    for limit, addresses in ((14_000, scripts), (2_000, [server.url + "/worker.js"])):
        asked = [urllib.request.Request(address, headers={"Accept-Encoding": "gzip"}) for address in addresses]
        weight = sum(len(urllib.request.urlopen(one, timeout=60).read()) for one in asked)
        assert 0 < weight < limit, f"{weight} bytes of {addresses}"
    paints = []
    for _ in range(3):
        browser.cdp("Network.clearBrowserCache")
        browser.line(up=94_000, down=200_000, delay=150)  # 1.6 Mbit/s
        browser.open("/")
        paints.append(
            browser.wait(
                "first paint",
                lambda: browser.js("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"),
            )
        )
    assert min(paints) < 1000, f"first paint after {min(paints):.0f} ms"
    assert browser.open("/report/photo") and named("x.jpg")


# Returns the faults of a poster's layout: cut texts, elements outside the sheet, wrong phone numbers.
POSTER = """
const phone = arguments[0], sheet = document.querySelector(".sheet").getBoundingClientRect();
const faults = [], inside = (box) => box.top >= sheet.top - 1 && box.bottom <= sheet.bottom + 1 && box.left >= sheet.left - 1 && box.right <= sheet.right + 1;
for (const part of document.querySelectorAll(".poster p, .poster h1, .poster dd, .strips span, .poster svg, .poster img")) {
  const box = part.getBoundingClientRect();
  if (!inside(box)) faults.push("outside: " + part.outerHTML.slice(0, 80));
  if (part.scrollWidth > part.clientWidth + 2 && part.clientWidth > 0) faults.push("too wide: " + part.outerHTML.slice(0, 80));
}
const strips = [...document.querySelectorAll(".strips li")];
if (strips.length < 6) faults.push(strips.length + " strips");
for (const strip of strips) {
  const [words, box] = [strip.lastElementChild.getBoundingClientRect(), strip.getBoundingClientRect()];
  if (strip.lastElementChild.textContent !== phone || words.top < box.top - 1 || words.bottom > box.bottom + 1) faults.push("strip: " + strip.outerHTML.slice(0, 120));
}
const above = document.querySelector(".link").getBoundingClientRect();
if (document.querySelector(".told").getBoundingClientRect().bottom > above.top + 1) faults.push("texts under the phone");
return faults;
"""


@check("poster: one page of A4 or Letter in both languages, with any texts; nothing cut, the photo a quarter of the height")
def poster_layout(world):
    server = world.own_server()
    long = {"petName": "Luna Wilhelmina " * 6, "reward": "500 zł " * 15, "description": "Shy, red collar, " * 29, "breed": "Mixed " * 16,
            "near": "by the lake, Mokotów, " * 3, "age": 12, "ownerPhone": "+48 (600) 100-200-300"}  # fmt: skip
    lines = {"petName": "W" * 100, "description": "A\n" * 200, "reward": "W" * 120, "breed": "W" * 100, "near": "W" * 80}
    wide = {"petName": "狗" * 100, "description": "狗" * 500, "reward": "狗" * 120, "breed": "狗" * 100, "near": "狗" * 80}
    for fields in ({}, {"petName": "Max", "near": "Wola"}, long, lines, wide):
        for photo in ("portrait-phone.heic", "large.jpg"):
            made = server.announce(photo=image(photo), **fields)
            phone = fields.get("ownerPhone", "+48 600 100 200")
            for language, paper, size in (("en", "", "594 841"), ("pl", "", "594 841"), ("en", "?paper=letter", "612 792")):
                what = f"{list(fields)} of {photo} in {language} {paper}"
                browser = world.browser(server, language=language).open(f"/announcements/{made['id']}/poster{paper}")
                browser.resize(1280, 900)
                page = browser.cdp("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
                boxes = re.findall(rb"/MediaBox ?\[0 0 (\d+)[.\d]* (\d+)[.\d]*\]", base64.b64decode(page["data"]))
                assert [b" ".join(box).decode() for box in boxes] == [size], f"{boxes} for {what}"
                browser.wait(what, lambda browser=browser, phone=phone: not browser.js(POSTER, phone), 30)
                share = browser.find("poster.photo").rect["height"] / browser.find("main .sheet").rect["height"]
                assert share >= 0.25, f"{what}: {share}"
                name = browser.js("return document.querySelector('.poster h1').textContent")
                assert name == fields.get("petName", {"en": "Dog", "pl": "Pies"}[language]).strip(), name
                told = browser.text(".poster .told")
                assert bool(browser.all("poster.cut")) == (" ".join(fields.get("description", "").split()) not in told), told
                fit = float(browser.js("return document.querySelector('.poster').style.getPropertyValue('--fit')"))
                assert fit >= 0.5 and (fields or fit > 1), f"{what}: texts at {fit}"
                browser.driver.quit()
                world.open_browsers.pop()


@check("poster: place, reward and phone in 28 points, all else in 18; A3 is the same, larger; a picture for phones")
def poster_from_afar(world):
    server = world.own_server()
    for photo in ("portrait-phone.heic", "large.jpg"):
        made = server.announce(
            photo=image(photo), petName="Rex", species="dog", breed="Pug", age=4, near="ul. Puławska, Mokotów", reward="500 zł",
            description="Shy, brown collar with a red tag, limps on the left hind leg, answers to his name.")  # fmt: skip
        for language, paper, millimeters in (("en", "a4", 194), ("pl", "a4", 194), ("en", "letter", 200), ("pl", "a3", 281)):
            browser = world.browser(server, language=language).open(f"/announcements/{made['id']}/poster?paper={paper}")
            browser.resize(1280, 900)
            browser.wait("one page", lambda browser=browser: not browser.js(POSTER, "+48 600 100 200"), 30)
            points = millimeters * 72 / 25.4 / browser.find("main .sheet").rect["width"]
            larger = {"a3": 1.4}.get(paper, 1)
            for part, least in (("poster.spot", 28), ("poster.reward", 28), (".poster .phone", 28), ("poster.told", 18), (".poster .animal", 18)):
                size = float(browser.js("return getComputedStyle(arguments[0]).fontSize", browser.find(part))[:-2]) * points
                assert size >= (least - 0.1) * larger, f"{part} of {photo} on {paper} in {language}: {size:.1f} points"
            page = browser.cdp("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
            assert base64.b64decode(page["data"]).count(b"/MediaBox") == 1
    browser.js("navigator.canShare = () => true; navigator.share = async ({files}) => { const one = await createImageBitmap(files[0]); window.story = [one.width, one.height, files[0].type]; }")  # fmt: skip
    browser.click("poster.story")
    browser.wait("the picture", lambda: browser.js("return window.story") == [1080, 1920, "image/jpeg"])


@check("a toast covers no field, link or button, from 320 to 1280 px, at the top and scrolled")
def toast_position(world):
    browser = to_photo(world.browser())
    for width in (320, 390, 1280):
        browser.resize(width, 844)
        for path, step in (("/report/photo", "photo"), ("/report/contact", "contact")):
            browser.open(path)
            browser.click(CONTINUE[step])
            browser.wait_for('[class="toast"]')
            for place in (0, 120, 400):
                browser.js(f"scrollTo(0, {place})")
                covered = browser.driver.execute_async_script(
                    "const done = arguments[0];"
                    "setTimeout(() => { const toast = document.querySelector('.toast')?.getBoundingClientRect();"
                    " done(toast && [...document.querySelectorAll('a, button:not(.visually-hidden), input, select, textarea')].filter((part) => {"
                    "  const box = part.getBoundingClientRect();"
                    "  return part.checkVisibility() && box.width > 1 && box.top < toast.bottom && box.bottom > toast.top"
                    "   && box.left < toast.right && box.right > toast.left; }).map((part) => part.outerHTML.slice(0, 90))); }, 60)"
                )
                assert not covered, f"{path} at {width} px, scrolled {place}: under the toast: {covered[0]}"
