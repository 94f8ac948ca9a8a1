"""Chromium as a person's browser, with selenium, and with the DevTools protocol (CDP) for what selenium can't do."""

import base64
import json
import os
import time

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# Runs before every page. Records the bytes sent by XMLHttpRequest, the window's listeners, position requests, live
# texts and progress.
WATCH = """
window.watched = {sent: 0, listeners: [], positions: 0, spoken: [], progress: []};
const send = XMLHttpRequest.prototype.send;
XMLHttpRequest.prototype.send = function (body) {
  let before = 0;
  this.upload.addEventListener("progress", (event) => {
    watched.sent += event.loaded - before;
    before = event.loaded;
  });
  return send.call(this, body);
};
const add = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (kind, ...rest) {
  if (this === window) watched.listeners.push(kind);
  return add.call(this, kind, ...rest);
};
const remove = EventTarget.prototype.removeEventListener;
EventTarget.prototype.removeEventListener = function (kind, ...rest) {
  if (this === window && watched.listeners.includes(kind)) watched.listeners.splice(watched.listeners.indexOf(kind), 1);
  return remove.call(this, kind, ...rest);
};
const ask = navigator.geolocation?.getCurrentPosition;
if (ask) navigator.geolocation.getCurrentPosition = function (...rest) {
  watched.positions += 1;
  return window.positionFault ? rest[1]({code: window.positionFault}) : ask.apply(this, rest);
};
document.addEventListener("DOMContentLoaded", () => new MutationObserver((changes) => {
  for (const change of changes) {
    const bar = document.querySelector('[data-testid="animalPhoto.progress"]');
    if (bar) watched.progress.push(Number(bar.getAttribute("aria-valuenow")));
    const live = change.target.closest?.('[role="status"]');
    if (live?.textContent.trim() && live === change.target) watched.spoken.push(live.textContent.trim());
  }
}).observe(document.body, {subtree: true, childList: true, attributes: true, attributeFilter: ["aria-valuenow"]}));
"""


class Browser:
    """A browser with its own cookies. Use it as a context manager."""

    def __init__(self, server, language="en", width=1280, height=900, script=True, block=()):
        self.server = server
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--lang={language}",
            f"--accept-lang={language}", f"--window-size={width},{height}", "--disable-background-networking",
            "--no-first-run",
        ):  # fmt: skip
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(40)
        self.cdp("Page.enable")
        self.cdp("Network.enable")
        self.resize(width, height)
        self.forget_position()
        if script:
            self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        else:
            self.cdp("Emulation.setScriptExecutionDisabled", value=True)
        if block:
            self.cdp("Network.setBlockedURLs", urls=list(block))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    # -- pages

    def open(self, path):
        self.driver.get(self.server.url + path)
        return self

    @property
    def path(self):
        return self.driver.current_url.removeprefix(self.server.url).split("?")[0].split("#")[0]

    @property
    def title(self):
        return self.driver.title

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, self.css(selector))

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, self.css(selector))

    @staticmethod
    def css(selector):
        """Converts a test identifier to CSS. Everything else is CSS already."""
        simple = "." in selector and not any(sign in selector for sign in " #[>:,*=")
        return f'[data-testid="{selector}"]' if simple or selector == "errorSummary" else selector

    def shows(self, selector):
        try:
            return any(element.is_displayed() for element in self.all(selector))
        except StaleElementReferenceException:
            return False

    def text(self, selector):
        try:
            return self.find(selector).text
        except (NoSuchElementException, StaleElementReferenceException):
            return ""

    def click(self, selector):
        """Scrolls to an element and clicks on it, as a finger would."""
        element = self.find(selector)
        self.js("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()

    def type(self, name, value):
        """Replaces the text of the field with this name."""
        field = self.find(f'[name="{name}"]')
        if name in ("latitude", "longitude") and not field.is_displayed():
            self.click("animalDescription.coordinates")
        field.clear()
        field.send_keys(value)
        return field

    def choose(self, name, value):
        from selenium.webdriver.support.select import Select

        Select(self.find(f'select[name="{name}"]')).select_by_value(value)

    def set_date(self, name, day):
        """Sets a date field by its value, because its keys depend on the language."""
        field = self.find(f'[name="{name}"]')
        if field.get_attribute("type") != "date":
            return self.type(name, day)
        return self.js(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
            field, day,
        )  # fmt: skip

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def value(self, name):
        return self.find(f'[name="{name}"]').get_property("value")

    def focused(self):
        """Returns the test identifier, name or tag of the focused element."""
        return self.js(
            "const at = document.activeElement; return at.dataset.testid || at.name || at.id || at.tagName.toLowerCase()"
        )

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def shoot(self, path):
        self.driver.save_screenshot(path)

    def resize(self, width, height):
        self.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )

    def new_tab(self):
        """Switches to a new tab. Returns the previous one, for `to_tab`."""
        before = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        return before

    def to_tab(self, tab):
        self.driver.switch_to.window(tab)

    # -- waiting

    def wait(self, what, condition, seconds=15):
        """Waits until a condition holds. A failure names what it waited for."""
        end = time.monotonic() + seconds
        while True:
            try:
                found = condition()
                if found:
                    return found
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            except WebDriverException as fault:
                # The page changed during the call.
                if "context" not in str(fault) and "node" not in str(fault).lower():
                    raise
            if time.monotonic() > end:
                raise AssertionError(f"waited {seconds} s for: {what}")
            time.sleep(0.05)

    def wait_for(self, selector, seconds=15):
        return self.wait(selector, lambda: self.shows(selector) and self.find(selector), seconds)

    def wait_gone(self, selector, seconds=15):
        self.wait(f"no {selector}", lambda: not self.shows(selector), seconds)

    def wait_path(self, path, seconds=15):
        self.wait(path, lambda: self.path == path, seconds)

    # -- files

    def pick(self, *paths):
        """Chooses files in the file dialog."""
        self.wait("the file field", lambda: self.find("animalPhoto.fileInput.field").send_keys("\n".join(paths)) or True)

    def drop(self, selector, *paths, text=None):
        """Drops files, or a text, with real events that the browser sends itself."""
        x, y = self.js(
            "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'});"
            "const box = arguments[0].getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + Math.min(box.height / 2, innerHeight / 2)]",
            self.find(selector),
        )
        items = [{"mimeType": "text/plain", "data": text}] if text else []
        data = {"items": items, "files": list(paths), "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.cdp("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)

    def allow_clipboard(self):
        for name in ("clipboard-read", "clipboard-write"):
            self.cdp("Browser.setPermission", permission={"name": name}, setting="granted", origin=self.server.url)

    def copied(self):
        return self.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0], arguments[0])")

    def paste_image(self, path):
        """Puts a PNG into the clipboard and presses the keys for Paste."""
        with open(path, "rb") as file:
            data = base64.b64encode(file.read()).decode()
        self.allow_clipboard()
        fault = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "const bytes = Uint8Array.from(atob(arguments[0]), (sign) => sign.charCodeAt());"
            "const item = new ClipboardItem({'image/png': new Blob([bytes], {type: 'image/png'})});"
            "navigator.clipboard.write([item]).then(() => done(null), (fault) => done(String(fault)))",
            data,
        )
        assert fault is None, fault
        self.press_paste()

    def press_paste(self):
        for kind in ("rawKeyDown", "keyUp"):
            self.cdp(
                "Input.dispatchKeyEvent", type=kind, key="v", code="KeyV", windowsVirtualKeyCode=86, modifiers=2,
                commands=["paste"] if kind == "rawKeyDown" else [],
            )  # fmt: skip

    # -- the machine and the network

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def line(self, offline=False, up=-1, down=-1, delay=0):
        """Limits the network to these bytes per second and this delay in milliseconds. Without arguments the
        network is normal again."""
        self.cdp(
            "Network.emulateNetworkConditions", offline=offline, uploadThroughput=up, downloadThroughput=down,
            latency=delay,
        )  # fmt: skip

    def time_zone(self, name):
        self.cdp("Emulation.setTimezoneOverride", timezoneId=name)

    def allow_position(self, latitude=52.2297, longitude=21.0122, accuracy=10):
        self.cdp("Browser.setPermission", permission={"name": "geolocation"}, setting="granted", origin=self.server.url)
        self.cdp("Emulation.setGeolocationOverride", latitude=latitude, longitude=longitude, accuracy=accuracy)

    def forget_position(self):
        """Makes the browser ask for permission. A headless browser allows the position from the start."""
        permission = {"name": "geolocation"}
        self.cdp("Browser.setPermission", permission=permission, setting="prompt", origin=self.server.url)

    def deny_position(self):
        self.cdp("Browser.setPermission", permission={"name": "geolocation"}, setting="denied", origin=self.server.url)

    def lose_position(self):
        """Allows the position, but provides none."""
        self.allow_position()
        self.cdp("Emulation.setGeolocationOverride")

    def media(self, **features):
        self.cdp(
            "Emulation.setEmulatedMedia",
            features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()],
        )

    def watched(self, name):
        return self.js(f"return window.watched.{name}")

    def console(self):
        """Returns errors and warnings since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Returns the addresses requested since the last call."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    # -- axe

    def axe(self):
        """Returns violations of WCAG 2.2 AA and of best practices, one line each."""
        if not self.js("return typeof window.axe === 'object'"):
            import axe_playwright_python

            with open(os.path.join(os.path.dirname(axe_playwright_python.__file__), "axe.min.js"), encoding="utf-8") as file:
                self.js(file.read() + "; window.axe = axe")
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];"
            "axe.run(document, {runOnly: {type: 'tag', values: tags}}).then("
            "  (result) => done(result.violations), (fault) => done([{id: String(fault), nodes: []}]))"
        )
        return [
            f"{violation['id']}: " + "; ".join(node["html"][:120] for node in violation["nodes"][:3])
            for violation in found
        ]


TAB = Keys.TAB
ENTER = Keys.ENTER
SPACE = Keys.SPACE
