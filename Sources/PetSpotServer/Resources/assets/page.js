// What an app would have and a form has not. Every page works without it.
//
// Parts are found by data-testid, fields by name. Words stand in data-i18n-… of their part.
"use strict";

// MARK: - What photo-step.js needs too

const PetSpot = (() => {
  const find = (id) => document.querySelector(`[data-testid="${id}"]`);
  const text = (part, key, values = {}) =>
    (part?.getAttribute(`data-i18n-${key}`) ?? "").replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

  const make = (tag, className, id = "", content = "") => {
    const part = document.createElement(tag);
    part.className = className;
    part.textContent = content;
    if (id) part.dataset.testid = id;
    if (tag === "button") part.type = "button";
    return part;
  };

  // Outside of <main>, so that it is there before it speaks and outlives a replaced <main>.
  const voice = make("p", "visually-hidden", "liveStatus");
  voice.setAttribute("role", "status");
  document.body.append(voice);

  /** Writes a live text; the same words are told again. */
  const retell = (part, words) => {
    part.textContent = "";
    setTimeout(() => (part.textContent = words), 50);
  };
  const say = (words) => retell(voice, words);

  const hideToast = (id) => find(id)?.remove();

  /** Puts a message as low as it can be without covering a link, a button or a field. */
  const place = (part) => {
    const own = part.getBoundingClientRect();
    const boxes = [...document.querySelectorAll("a, button, input, select, textarea, label")].map((other) => other.getBoundingClientRect());
    const covers = (low) => boxes.some(({ top, bottom, left, right }) => top < low && bottom > low - own.height && left < own.right && right > own.left && right > left);
    for (let low = innerHeight - 16; low > own.height; low -= 8) if (!covers(low)) return (part.style.bottom = `${innerHeight - low}px`);
  };
  for (const kind of ["load", "resize", "scroll"]) addEventListener(kind, () => document.querySelectorAll(".toast").forEach(place), { passive: true });

  /** Shows a message that goes away; another call begins its time anew (decision 8). */
  const toast = (id, words, seconds = 3) => {
    hideToast(id);
    const part = make("p", "toast", id, words);
    part.setAttribute("role", "status");
    document.body.append(part);
    place(part);
    setTimeout(() => part.remove(), seconds * 1000);
  };

  /** Where the reader is; fails with "denied", "unavailable" or "timeout". */
  const position = () =>
    new Promise((resolve, reject) => {
      if (!navigator.geolocation) return reject("unavailable");
      const fail = ({ code }) => reject(code === 1 ? "denied" : code === 3 ? "timeout" : "unavailable");
      const options = { enableHighAccuracy: true, timeout: 10000 };
      const found = ({ coords: { latitude, longitude, accuracy }, timestamp }) => resolve({ latitude, longitude, accuracy, timestamp });
      navigator.geolocation.getCurrentPosition(found, fail, options);
    });

  /** Degrees as text; no zero has a sign. */
  const fixed = (degrees, digits) => (Number(degrees.toFixed(digits)) + 0).toFixed(digits);

  /** Tells what is allowed, now and after each change: "granted", "denied" or "prompt". */
  const permission = async (tell) => {
    const status = await navigator.permissions?.query({ name: "geolocation" }).catch(() => null);
    if (!status) return;
    tell(status.state);
    status.addEventListener("change", () => tell(status.state));
  };

  /** The window that says that the position is refused. A page cannot open a browser's settings: "Go to
   *  settings" says where they are, and once they allow the position `retry` is called (decision 18). */
  const refusal = (id, retry) => {
    const dialog = find(id);
    const how = dialog.querySelector("[data-how-to]");
    const [settings, cancel] = [dialog.querySelector("[data-settings]"), dialog.querySelector("[value=cancel]")];
    const words = cancel.textContent;
    settings.addEventListener("click", () => {
      how.hidden = false;
      settings.hidden = true;
      cancel.textContent = text(cancel, "close");
      cancel.focus();
      retell(how, how.textContent);
    });
    permission((state) => {
      if (state !== "granted" || !dialog.open) return;
      dialog.close();
      retry();
    });
    return () => {
      how.hidden = true;
      settings.hidden = false;
      cancel.textContent = words;
      dialog.showModal();
    };
  };

  /** A page of ours and the address it came from; fails when there is none. */
  const load = async (address) => {
    const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok || !page.querySelector("main")) throw new Error(`status ${answer.status}`);
    return { page, url: new URL(answer.url) };
  };

  /** Sends a form to a server that has just answered. The photo step may have replaced <main> meanwhile. */
  const send = (form, button) => {
    if (!form.isConnected) button = find(button?.dataset.testid);
    const shown = form.isConnected ? form : button?.form;
    if (!shown) return;
    shown.isReached = true;
    shown.requestSubmit(button?.form === shown ? button : null);
    shown.isReached = false;
  };

  return { send, find, text, make, say, retell, toast, place, hideToast, position, fixed, permission, refusal, load };
})();

// MARK: - Every page

(() => {
  document.documentElement.classList.add("has-script");
  PetSpot.find("errorSummary")?.focus();
  // A message of the server goes away as the script's do; the error summary stays (decision 32).
  for (const toast of document.querySelectorAll(".toast")) {
    PetSpot.place(toast);
    setTimeout(() => toast.remove(), 3000);
  }

  // A second tap on a button sends nothing more. The button is not disabled: its value is sent too, and
  // Back has to bring a page whose buttons work. A form is sent once the server has answered, so that no
  // browser's own page of errors takes its place.
  const resting = new Map();
  const wake = (form) => {
    clearTimeout(resting.get(form));
    resting.delete(form);
    for (const button of document.querySelectorAll("button[aria-busy]")) button.removeAttribute("aria-busy");
  };
  const isReached = () => fetch(document.scripts[0].src, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout?.(10000) }).then(() => true, () => false);
  const hideOffline = () => PetSpot.find("page.offline")?.remove();
  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || form.method === "dialog") return;
    if (resting.has(form) && !form.isReached) return event.preventDefault();
    submitter?.setAttribute("aria-busy", "true");
    clearTimeout(resting.get(form));
    resting.set(form, setTimeout(wake, 15000, form)); // when no answer comes
    if (form.isReached || form.method !== "post") return;
    event.preventDefault();
    const isThere = await isReached();
    hideOffline();
    if (isThere) return PetSpot.send(form, submitter);
    wake(form);
    const main = document.getElementById("main");
    const note = PetSpot.make("div", "error-summary", "page.offline");
    note.setAttribute("role", "alert");
    note.tabIndex = -1;
    note.append(PetSpot.make("p", "", "", PetSpot.text(main, "offline")));
    main.prepend(note);
    note.focus();
  });
  addEventListener("online", hideOffline);
  addEventListener("pageshow", () => [...resting.keys()].forEach(wake));

  // A page that cannot be loaded is replaced by one that is put aside here, in the reader's language.
  const language = document.documentElement.lang;
  navigator.serviceWorker?.register("/worker.js").then(async () => {
    const aside = await caches.open("offline");
    const kept = await aside.match("/offline", { ignoreVary: true });
    const styles = document.querySelector("link[rel=stylesheet]").getAttribute("href");
    if (kept?.headers.get("content-language") === language && (await kept.text()).includes(styles)) return;
    await caches.delete("offline");
    await (await caches.open("offline")).add("/offline");
  }, () => {}).catch(() => {});
  if (document.querySelector("[data-offline]")) {
    try {
      document.querySelector("[data-typed-here]").hidden = !Object.keys(localStorage).some((key) => key.startsWith("typed:"));
    } catch {}
    addEventListener("online", () => location.reload());
  }

  // The list that was left last is where an announcement leads back to, at the place where it was left.
  const back = PetSpot.find("announcement.back");
  try {
    if (location.pathname === "/announcements") sessionStorage.list = location.href;
    if (location.pathname === "/") sessionStorage.removeItem("list");
    if (back && sessionStorage.list) back.href = sessionStorage.list;
  } catch {}
  back?.addEventListener("click", (event) => {
    if (document.referrer !== back.href || history.length < 2) return;
    event.preventDefault();
    history.back();
  });

  // A picture that cannot be had leaves its placeholder; some failed before this ran.
  const hide = (picture) => picture.matches?.("img[data-picture]") && (picture.hidden = true);
  addEventListener("error", ({ target }) => hide(target), true);
  for (const picture of document.images) if (picture.currentSrc && picture.complete && !picture.naturalWidth) hide(picture);
})();

// MARK: - Errors that are mended

(() => {
  const mend = (name) => {
    document.getElementById(`${name}-error`)?.remove();
    document.getElementById(`${name}-field`)?.classList.remove("is-wrong");
    for (const field of document.getElementsByName(name)) field.removeAttribute("aria-invalid");
    const summary = PetSpot.find("errorSummary");
    summary?.querySelector(`a[href="#${name}"]`)?.closest("li").remove();
    if (summary && !summary.querySelector("li")) summary.remove();
  };
  const look = ({ target }) => {
    // An emptied field is no better than before (seed 031).
    if (!target.name || !target.value.trim()) return;
    mend(target.name);
    if (target.name === "species") mend("race");
  };
  for (const kind of ["input", "change"]) document.addEventListener(kind, look);
})();

// MARK: - Fields

(() => {
  const field = (name) => document.querySelector(`main [name="${name}"]`);

  // Chip number: groups of five, and the caret stays behind the digit it stood behind.
  const chip = field("chip");
  chip?.addEventListener("input", () => {
    const before = chip.value.slice(0, chip.selectionStart).replace(/\D/g, "").length;
    const shown = chip.value.replace(/\D/g, "").slice(0, 15).replace(/(\d{5})(?=\d)/g, "$1-");
    if (shown === chip.value) return;
    chip.value = shown;
    const caret = before + Math.max(Math.ceil(before / 5) - 1, 0);
    chip.setSelectionRange(caret, caret);
  });

  // A link to a field leads into it.
  if (location.hash && document.querySelector("main .step")) document.getElementById(location.hash.slice(1))?.focus();

  // A page with many fields asks before it is left with changes that were not sent.
  const guarded = document.querySelector("form[data-guarded]");
  if (guarded) {
    let isChanged = false;
    guarded.addEventListener("input", () => (isChanged = true));
    guarded.addEventListener("submit", () => guarded.isReached && (isChanged = false));
    addEventListener("beforeunload", (event) => isChanged && event.preventDefault());
  }

  // The reporter's own day (decision 22), also where nobody has chosen one yet.
  if (field("timeZone")) field("timeZone").value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  const [now, date] = [new Date(), field("date")];
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  const today = parts.map((part) => String(part).padStart(2, "0")).join("-");
  if (date) date.max = today;
  if (date && "default" in date.dataset) {
    for (const shown of [date, field("shownDate")]) if (shown) shown.value = today;
  }

  // Race: only after the species, with suggestions of that one; another species clears it.
  const [species, race] = [field("species"), field("race")];
  if (species && race) {
    const placeholder = race.placeholder;
    const arrange = () => {
      race.disabled = !species.value;
      race.placeholder = (!species.value && PetSpot.text(race, "choose-species")) || placeholder;
      race.setAttribute("list", `races-${species.value}`);
      const help = document.getElementById("race-help");
      if (help) help.hidden = Boolean(species.value);
    };
    species.addEventListener("change", () => {
      race.value = "";
      arrange();
    });
    species.addEventListener("restore", arrange);
    arrange();
    addEventListener("pageshow", arrange); // Back brings the former choice after this ran
    // The summary leads to what comes first.
    document.addEventListener("click", (event) => {
      if (!race.disabled || !event.target.closest('a[href="#race"]')) return;
      event.preventDefault();
      species.focus();
    });
  }
})();

// MARK: - Characters as a person counts them

(() => {
  const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter();
  const split = (words) => Array.from(segmenter ? segmenter.segment(words) : words, (part) => part.segment ?? part);
  for (const field of document.querySelectorAll("[data-limit]")) {
    const limit = Number(field.dataset.limit);
    const counter = document.querySelector(`[data-counter-for="${field.name}"]`);
    const count = (event) => {
      const characters = split(field.value);
      const surplus = characters.length - limit;
      // The surplus is ignored where it was typed, but not while it is being composed.
      if (surplus > 0 && !event?.isComposing) {
        const caret = split(field.value.slice(0, field.selectionStart)).length;
        const from = Math.max(caret - surplus, 0);
        characters.splice(from, surplus);
        field.value = characters.join("");
        const place = characters.slice(0, from).join("").length;
        field.setSelectionRange(place, place);
        PetSpot.say(PetSpot.text(field, "limit", { limit }));
      }
      counter?.parentElement.classList.toggle("is-cut", characters.length >= limit);
      if (counter) counter.textContent = PetSpot.text(field, "counter", { count: characters.length, limit });
    };
    field.addEventListener("input", count);
    for (const kind of ["compositionend", "restore"]) field.addEventListener(kind, count);
    count();
  }
})();

// MARK: - Not a key is lost

// After what fields show by themselves: what comes back here is what was typed.
(() => {
  // Words wait here under their draft while they are on no server, and a moment longer: a page that is loaded
  // meanwhile may have been made before they came. Where storage is forbidden they don't.
  let store = null;
  try {
    store = localStorage;
  } catch {}
  const stored = () => Object.keys(store ?? {}).filter((key) => key.startsWith("typed:"));
  const forget = (isOver) => stored().filter(isOver).forEach((key) => store.removeItem(key));
  // Published or discarded.
  if (PetSpot.find("summary.title")) forget(() => true);
  PetSpot.find("reportMissingPet.new.confirm")?.form.addEventListener("submit", ({ target }) => target.isReached && forget(() => true));

  const form = document.querySelector("form[data-typed]");
  if (!form) return;
  forget((key) => !key.startsWith(`typed:${form.dataset.typed}:`));
  const key = `typed:${form.dataset.typed}:${form.getAttribute("action")}`;
  const note = form.querySelector("[data-unsaved]");
  const fields = () => {
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (name !== "action") body.set(name, value);
    return body;
  };
  let [timer, keeping, isDirty, running, isOthers] = [0, 0, false, null, false];
  const tell = (word) => {
    const words = word ? PetSpot.text(note, word) : "";
    if (note.textContent !== words) note.textContent = words;
  };

  /** Sends what is typed; says whether the server has it. One request at a time, the last word last. */
  const save = async () => {
    clearTimeout(timer);
    if (running) await running;
    if (!isDirty || isOthers) return !isDirty;
    isDirty = false;
    const sent = String(fields());
    running = fetch(`${form.getAttribute("action")}/typed`, { method: "POST", body: new URLSearchParams(sent), keepalive: sent.length < 60000 })
      .then((answer) => {
        isOthers = answer.status === 409;
        if (!answer.ok) throw answer.status;
        form.elements.seen.value = answer.headers.get("seen") ?? form.elements.seen.value;
        if (!isDirty) {
          put();
          clearTimeout(keeping);
          keeping = setTimeout(() => isDirty || store?.removeItem(key), 3000);
        }
        tell("");
        return true;
      })
      .catch(() => {
        isDirty = true;
        tell(isOthers ? "other-tab" : "unsaved");
        if (!isOthers) timer = setTimeout(save, 3000);
        return false;
      })
      .finally(() => (running = null));
    return running;
  };
  const put = () => {
    try {
      store?.setItem(key, String(fields()));
    } catch {}
  };
  const typed = () => {
    isDirty = true;
    put();
    clearTimeout(timer);
    timer = setTimeout(save, 500);
  };

  // What no server had comes back, with the state it was typed over: another tab's words are told of.
  const before = new URLSearchParams(store?.getItem(key) ?? "");
  const now = fields();
  // A day that was only shown is none that was chosen, and "today" is another day by now.
  for (const name of [...(before.get("date") === before.get("shownDate") ? ["date"] : []), "shownDate", "timeZone", "askedDate", "changed"]) before.delete(name);
  const differs = [...before].filter(([name, value]) => name !== "seen" && form.elements[name] && (now.get(name) ?? "") !== value);
  if (differs.length) {
    for (const [name, value] of before) {
      const field = form.elements[name];
      if (field) field.value = value;
      field?.dispatchEvent?.(new Event("restore"));
    }
    isDirty = true;
    setTimeout(save);
  } else store?.removeItem(key);

  for (const kind of ["input", "change"]) form.addEventListener(kind, typed);
  addEventListener("online", save);
  addEventListener("pagehide", save);
  document.addEventListener("visibilitychange", () => document.hidden && save());

  // Continue waits for the last word, and stays where it is while there is no server.
  form.addEventListener("submit", (event) => {
    if (form.isReached) return store?.removeItem(key);
    if (isOthers || (!isDirty && !running)) return;
    event.preventDefault();
    const button = event.submitter;
    save().then((isSaved) => (isSaved || isOthers) && PetSpot.send(form, button));
  });
})();

// MARK: - Position, only after a tap

(() => {
  const { find, text, retell } = PetSpot;
  const button = find("animalDescription.requestGPSButton.tap");
  if (!button) return;
  const named = (name) => document.querySelector(`input[name="${name}"]`);
  const note = PetSpot.make("p", "hint", "animalDescription.locationStatus");
  note.setAttribute("role", "alert");
  button.after(note);
  button.hidden = false;

  /** What the form says beside its fields. No page comes with it: without a script there is none. */
  const add = (name, value) => {
    const field = named(name) ?? PetSpot.make("input", "");
    Object.assign(field, { type: "hidden", name, value });
    button.form.append(field);
  };
  const allow = (state) => {
    if (state !== "prompt") add("locationPermission", state === "granted" ? "authorizedWhenInUse" : "denied");
  };
  PetSpot.permission(allow);

  // Only what was found here and stands there untouched counts as GPS; any edit makes it the reporter's own
  // word (decisions 17 and 45).
  for (const name of ["latitude", "longitude"]) named(name).addEventListener("input", () => add("captured", "edited"));
  const remove = find("animalDescription.removeLocation.tap");
  const fill = (values) => {
    for (const name of ["latitude", "longitude"]) {
      named(name).value = values?.[name] ?? "";
      named(name).dispatchEvent(new Event("input", { bubbles: true }));
    }
    remove.hidden = !values;
    document.querySelector(".offer")?.toggleAttribute("hidden", Boolean(values));
  };
  remove.addEventListener("click", (event) => {
    event.preventDefault();
    fill(null);
    retell(note, text(button, "removed"));
  });
  // What was typed can be removed too.
  document.querySelector(".coordinates").addEventListener("input", () => (remove.hidden = !named("latitude").value && !named("longitude").value));
  const use = (found) => {
    const rounds = named("roundPlace").checked;
    fill({ latitude: PetSpot.fixed(found.latitude, rounds ? 3 : 5), longitude: PetSpot.fixed(found.longitude, rounds ? 3 : 5) });
    add("captured", `${named("latitude").value} ${named("longitude").value} ${Math.round(found.timestamp)}`);
    retell(note, text(button, "captured"));
  };
  let doubt = null; // the question about a rough position
  const capture = async () => {
    doubt?.remove();
    retell(note, text(button, "locating"));
    // The fields are in sight whatever comes (decision 83).
    const show = () => (document.querySelector(".coordinates").open = true);
    try {
      const found = await PetSpot.position();
      show();
      allow("granted");
      if (!(found.accuracy > 200)) return use(found);
      retell(note, text(button, "rough", { meters: Math.round(found.accuracy) }));
      doubt = PetSpot.make("button", "button secondary", "animalDescription.useRough.tap", text(button, "use-rough"));
      doubt.addEventListener("click", () => (doubt.remove(), use(found)));
      note.after(doubt);
    } catch (reason) {
      show();
      retell(note, text(button, reason));
      if (reason !== "denied") return;
      allow("denied");
      refuse(); // each time (decision 18)
    }
  };
  const refuse = PetSpot.refusal("animalDescription.permissionAlert", capture);
  button.addEventListener("click", capture);
})();

// MARK: - Lists of announcements: distances while the reader allows the position

(() => {
  const { find, text, make, load, fixed } = PetSpot;
  const ask = document.querySelector("[data-nearby]");
  if (!ask) return;
  ask.hidden = false;
  const form = ask.form; // of "Near me", whose two fields are for who has no script, or refuses the position
  form?.classList.add("finds-place");
  const list = (page) => page.querySelector("[data-announcements]");
  let [turn, here] = [0, null];
  // Where storage is forbidden nothing is remembered.
  let session = {};
  try {
    session = sessionStorage;
  } catch {}

  /** The way between two places in kilometers, as the server reckons it (decision 27). */
  const distance = (one, other) => {
    const half = (degrees) => Math.sin((degrees * Math.PI) / 360) ** 2;
    const cosine = (degrees) => Math.cos((degrees * Math.PI) / 180);
    const haversine = half(other.latitude - one.latitude) + cosine(one.latitude) * cosine(other.latitude) * half(other.longitude - one.longitude);
    return 2 * 6371 * Math.asin(Math.sqrt(Math.min(1, haversine)));
  };

  /** Shows how far each pet is from the reader's own position, which is sent nowhere (decision 54); null shows
   *  none. */
  const measure = (place) => {
    here = place;
    for (const card of document.querySelectorAll(".pet")) {
      card.querySelector(".away")?.remove();
      if (!here || !card.dataset.place) continue;
      const [latitude, longitude] = card.dataset.place.split(" ").map(Number);
      const km = distance(here, { latitude, longitude }).toFixed(1).replace(".", text(ask, "sign"));
      const away = make("span", "away", "", " · ");
      away.append(make("span", "", "animalList.distance", text(ask, "distance", { km })));
      card.querySelector("time").after(away);
    }
  };

  /** Loads the list, and shows distances. */
  const show = async (place) => {
    const mine = ++turn;
    const loading = find("landingPage.loading");
    if (loading) loading.hidden = false;
    // Loading, error and cards exclude each other (seed 058).
    list(document).replaceChildren();
    const answer = await load(location.href).catch(() => null);
    // A slow old answer never overwrites a newer one (decision 28).
    if (mine !== turn) return;
    if (loading) loading.hidden = true;
    if (answer) {
      list(document).replaceWith(list(answer.page));
      measure(place);
      return PetSpot.say(text(ask, "shown"));
    }
    const error = make("div", "error-summary", "landingPage.error");
    error.setAttribute("role", "alert");
    const retry = make("button", "button secondary", "landingPage.error.retryButton", text(ask, "retry"));
    retry.addEventListener("click", () => show(place));
    error.append(make("p", "", "", text(ask, "error")), retry);
    list(document).replaceChildren(error);
  };
  const refused = (reason) => {
    form?.classList.remove("finds-place");
    // On lists once a session (decision 18).
    if (reason === "denied" && !session.told) {
      session.told = 1;
      return refuse();
    }
    PetSpot.toast("landingPage.toast", text(ask, reason), 6);
  };
  const locate = () =>
    PetSpot.position().then((place) => {
      if (!form) return show(place);
      form.lat.value = fixed(place.latitude, 2);
      form.lng.value = fixed(place.longitude, 2);
      session.found = form.lat.value + form.lng.value;
      form.requestSubmit(ask);
    }, refused);
  const refuse = PetSpot.refusal("startup.permissionPopup", locate);
  ask.addEventListener("click", (event) => {
    // With the fields in sight it is a button of the form.
    if (form && !form.classList.contains("finds-place") && form.lat.value.trim()) return;
    event.preventDefault();
    locate();
  });
  // Distances come and go with the permission. Those that the server reckoned from a place that was typed stay.
  PetSpot.permission((state) => {
    if (state === "granted") return PetSpot.position().then(measure, () => {});
    const query = new URL(location.href).searchParams;
    if (here || session.found === query.get("lat") + query.get("lng")) measure(null);
  });
})();

// MARK: - An announcement: the share sheet, else its address in the clipboard

for (const button of document.querySelectorAll("button[data-address]")) {
  const { text, toast } = PetSpot;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const url = new URL(button.dataset.address, location.href).href;
    try {
      if (navigator.share && !("copies" in button.dataset)) return await navigator.share({ title: button.dataset.title, text: button.dataset.text, url });
    } catch (fault) {
      if (fault.name === "AbortError") return; // the person has closed the sheet
    }
    try {
      await navigator.clipboard.writeText(url);
      toast("announcement.toast", text(button, "copied"));
    } catch {
      toast("announcement.toast", text(button, "by-hand", { address: url }), 10);
    }
  });
}

(() => {
  const print = document.querySelector("[data-print]");
  if (print) print.hidden = false;
  print?.addEventListener("click", () => window.print());

  // The poster as a picture that fills a phone's screen, to be sent on.
  const story = PetSpot.find("poster.story");
  const draw = () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1080, height: 1920 });
    const pen = canvas.getContext("2d");
    let top = 0;
    const box = (color, y, height) => ((pen.fillStyle = color), pen.fillRect(0, y, 1080, height));
    /** Writes what a part says below the last one, smaller if it needs more lines. */
    const write = (part, size, most = 2, color = "#000") => {
      const words = document.querySelector(part)?.textContent.trim().replace(/\s+/g, " ").split(" ") ?? [];
      for (let lines = [], font = size; words.length; lines = [], font -= 4) {
        pen.font = `800 ${font}px sans-serif`;
        for (const word of words) {
          const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
          if (lines.length && pen.measureText(longer).width <= 1000) lines[lines.length - 1] = longer;
          else lines.push(word);
        }
        if (font > 24 && (lines.length > most || lines.some((line) => pen.measureText(line).width > 1000))) continue;
        pen.fillStyle = color;
        for (const line of lines.slice(0, most)) pen.fillText(line, 540, (top += font * 1.15), 1000);
        return;
      }
    };
    pen.textAlign = "center";
    box("#fff", 0, 1920);
    box("#c00000", 0, 190);
    write(".missing", 120, 1, "#fff");
    const photo = document.querySelector(".poster img");
    if (photo?.naturalWidth) {
      const scale = Math.max(1080 / photo.naturalWidth, 960 / photo.naturalHeight);
      const [wide, high] = [1080 / scale, 960 / scale];
      pen.drawImage(photo, (photo.naturalWidth - wide) / 2, (photo.naturalHeight - high) / 4, wide, high, 0, 190, 1080, 960);
    }
    top = 1160;
    for (const [part, size] of [[".poster h1", 90], [".animal", 48], [".poster .where", 64], [".poster .reward", 72]]) write(part, size);
    box("#c00000", 1740, 180);
    top = 1755;
    write(".poster .phone", 110, 1, "#fff");
    return new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  };
  if (story) story.hidden = false;
  story?.addEventListener("click", async () => {
    const file = new File([await draw()], "petspot.jpg", { type: "image/jpeg" });
    if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file] }).catch(() => {});
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });

  // A poster's texts are as large as the room on its one page allows.
  const [sheet, poster] = [document.querySelector(".sheet"), document.querySelector(".poster")];
  const fit = () => {
    const [width, height] = getComputedStyle(sheet).aspectRatio.split("/").map(Number);
    for (let size = 140; size >= 50; size -= 4) {
      poster.style.setProperty("--fit", size / 100);
      if (sheet.offsetHeight <= (sheet.offsetWidth * height) / width + 1) return;
    }
  };
  if (sheet) for (const kind of ["load", "resize"]) addEventListener(kind, fit);
})();

// MARK: - An owner's new photo beside the present one

PetSpot.find("owner.photo.fileInput")?.addEventListener("change", ({ target }) => {
  const shown = document.querySelector("[data-new-photo]");
  if (target.files[0]?.size > Number(target.dataset.limitBytes)) {
    target.value = "";
    PetSpot.toast("owner.toast", PetSpot.text(target, "too-large"), 6);
  }
  if (!shown) return;
  URL.revokeObjectURL(shown.src);
  shown.closest("figure").hidden = !target.files.length;
  if (target.files.length) shown.src = URL.createObjectURL(target.files[0]);
  shown.onerror = () => (shown.closest("figure").hidden = true); // HEIC, which few browsers show
});

// MARK: - Summary: the code in the clipboard

(() => {
  const { find, text, toast } = PetSpot;
  const [button, code] = [find("summary.copyButton"), find("summary.password")];
  if (!button || !code) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent.trim());
      toast("summary.toast", text(button, "copied"), 2);
    } catch {
      getSelection().selectAllChildren(code); // to be copied by hand
      toast("summary.toast", text(button, "copy-failed"), 6);
    }
  });
})();
