"""The steps of a report, for checks that start at one of them."""

from .photos import image, named

CARD = "animalPhoto.confirmationCard"
TOAST = "animalPhoto.toast"
ERROR = "animalPhoto.error"
PROGRESS = "animalPhoto.progress"
ZONE = "animalPhoto.dropZone.area"
CONTINUE = {
    "chip": "missingPet.microchip.continueButton",
    "photo": "animalPhoto.continue",
    "description": "animalDescription.continueButton.tap",
    "contact": "ownersDetails.continueButton",
    "review": "review.publishButton",
}


def go_on(browser, step, then):
    """Clicks Continue of a step and waits for the next one."""
    browser.click(CONTINUE[step])
    browser.wait_path(f"/report/{then}")


def to_photo(browser):
    """Starts a new report and goes to the photo step."""
    browser.open("/report")
    browser.wait_path("/report/chip")
    go_on(browser, "chip", "photo")
    return browser


def attach(browser, path=None, seconds=20):
    """Chooses a photo and waits for its card."""
    browser.pick(path or image("orientation-1.jpg"))
    browser.wait_for(CARD, seconds)


def to_description(browser):
    attach(to_photo(browser))
    go_on(browser, "photo", "description")
    return browser


def describe(browser, **other):
    """Fills in step 3. Fields are given by their names."""
    values = {"species": "dog", "race": "Boxer", "gender": "male", "latitude": "52.2297", "longitude": "21.0122"} | other
    for name, value in values.items():
        if name == "species":
            browser.choose(name, value)
        elif name == "gender":
            browser.click(f"animalDescription.gender.{value}.tap")
        elif name == "date":
            browser.set_date(name, value)
        else:
            browser.type(name, value)


def send_photo(browser, name, script=True):
    """Starts a report, sends a photo and goes to the description, with or without script."""
    browser.open("/report/chip")
    go_on(browser, "chip", "photo")
    browser.pick(named(name))
    if script:
        browser.wait_for(CARD)
    go_on(browser, "photo", "description")
    return browser


def to_contact(browser):
    to_description(browser)
    describe(browser)
    go_on(browser, "description", "contact")
    return browser


def owner(browser, **other):
    """Fills in step 4."""
    for name, value in ({"name": "Ann", "phone": "+48 600 100 200"} | other).items():
        browser.type(name, value)


def to_review(browser):
    to_contact(browser)
    owner(browser)
    go_on(browser, "contact", "review")
    return browser


def to_summary(browser):
    to_review(browser)
    go_on(browser, "review", "summary")
    return browser


def publish(browser):
    """Goes from the completed step 4 through the review to the code."""
    go_on(browser, "contact", "review")
    go_on(browser, "review", "summary")


def status(browser):
    """Returns the photo's status, requested from the server by the page's own browser."""
    return browser.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "fetch('/report/photo/status', {headers: {Accept: 'application/json'}, cache: 'no-store'})"
        ".then((answer) => answer.json()).then(done, (fault) => done({fault: String(fault)}))"
    )


def preview(browser):
    """Waits for the preview's picture. Returns its width and height as the browser shows it."""
    return browser.wait(
        "the preview's picture",
        lambda: browser.js(
            "const found = document.querySelector('[data-testid=\"animalPhoto.preview\"]');"
            "const picture = found?.matches('img') ? found : found?.querySelector('img');"
            "return picture?.complete && picture.naturalWidth ? [picture.naturalWidth, picture.naturalHeight] : null"
        ),
    )
