// The photo step: a chosen, dropped or pasted file is sent at once, goes on after lost connections,
// reloads and restarts of the server (tus 1.0.0), and can be cancelled. Needs page.js.
//
// When an upload has ended, <main> is replaced by the server's, so the card and its words are its own.
"use strict";

(() => {
  const { find, text, make, say } = PetSpot;
  const step = () => document.querySelector("[data-photo-step]");
  if (!step()) return;
  // The style shows one labelled button for the browser's own.
  document.documentElement.classList.add("is-live");
  const word = (key, values) => text(step(), key, values);
  const { uploadUrl, statusUrl, limitBytes } = step().dataset;
  const fileField = () => find("animalPhoto.fileInput.field");
  const dropZone = () => find("animalPhoto.dropZone.area");

  // MARK: - One message, in the summary that takes the focus and at the drop zone

  const complain = (words) => {
    settle();
    say(""); // what was said of the upload is over
    const summary = make("div", "error-summary", "errorSummary");
    summary.tabIndex = -1;
    summary.setAttribute("role", "alert");
    const list = document.createElement("ul");
    const link = make("a", "", "", words);
    link.href = "#photo";
    list.append(document.createElement("li"));
    list.firstChild.append(link);
    summary.append(make("h2", "", "", word("problem")), list);
    // Where the server's own stand.
    document.querySelector(".progress").after(summary);
    document.querySelector(".picker").before(make("p", "error", "animalPhoto.error", words));
    dropZone().classList.add("is-wrong");
    document.title = word("error-prefix") + document.title;
    summary.focus();
  };

  /** Takes away what was said before, by us or by the server. */
  const settle = () => {
    PetSpot.hideToast("animalPhoto.toast");
    for (const id of ["errorSummary", "animalPhoto.error"]) find(id)?.remove();
    fileField().removeAttribute("aria-invalid");
    dropZone().classList.remove("is-wrong");
    document.title = document.title.replace(word("error-prefix"), "");
  };

  // MARK: - Choosing, pasting, dropping

  const choose = (files) => {
    const [file] = files;
    if (files.length !== 1) return complain(word("one-file"));
    if (file.size === 0) return complain(word("empty-file", { name: file.name }));
    if (file.size > Number(limitBytes)) return complain(word("too-large", { name: file.name }));
    settle();
    begin(file);
  };

  document.addEventListener("change", ({ target }) => {
    if (target !== fileField() || !target.files.length) return;
    const files = [...target.files];
    // So that the same file can be chosen again, and Continue does not send it once more.
    target.value = "";
    choose(files);
  });

  document.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length || event.target.closest("textarea, [contenteditable], input:not([type=file])")) return;
    event.preventDefault();
    choose(files);
  });

  const isInZone = (event) => Boolean(dropZone()?.contains(event.target));
  const light = (isLit) => dropZone()?.classList.toggle("is-dragging", isLit);
  // A file dropped beside the zone would replace the page by the picture.
  const isOurs = (event) => isInZone(event) || event.dataTransfer.types.includes("Files");
  for (const kind of ["dragenter", "dragover"]) {
    document.addEventListener(kind, (event) => {
      light(isInZone(event));
      if (!isOurs(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = isInZone(event) ? "copy" : "none";
    });
  }
  document.addEventListener("dragleave", (event) => light(Boolean(dropZone()?.contains(event.relatedTarget))));
  document.addEventListener("drop", (event) => {
    light(false);
    if (isOurs(event)) event.preventDefault();
    if (!isInZone(event)) return;
    const { items, files } = event.dataTransfer;
    const isFolder = [...items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
    choose(isFolder ? [] : [...files]);
  });

  // MARK: - Sending (tus 1.0.0)

  /** Pauses before each new try, in seconds. */
  const pauses = [0, 1, 3, 5];
  /** Bytes of a request: what a dead line costs at most, and small enough for any proxy. */
  const pieceSize = 1 << 20;
  /** Milliseconds after which a silent line is dead; a photo may take its time to be judged. */
  const silence = 90000;

  /** One request, by XMLHttpRequest since only that tells how much is sent. */
  const request = (of, method, address, headers = {}, body = null, progress = () => {}) =>
    new Promise((resolve, reject) => {
      const line = (of.line = new XMLHttpRequest());
      let timer;
      const live = () => {
        clearTimeout(timer);
        timer = setTimeout(() => line.abort(), silence);
      };
      line.open(method, address);
      line.setRequestHeader("Tus-Resumable", "1.0.0");
      for (const name in headers) line.setRequestHeader(name, headers[name]);
      line.upload.onprogress = (event) => {
        live();
        progress(event.loaded);
      };
      line.onloadend = () => {
        clearTimeout(timer);
        if (line.status >= 200 && line.status < 300) resolve(line);
        else reject(faultOf(line, method));
      };
      live();
      line.send(body);
    });

  /** Why a request came to nothing: its kind is "passing", "gone", "judged", "refused", "too-large" or
   * "final". */
  const faultOf = (line, method) => {
    const { status } = line;
    const wait = Math.min(line.getResponseHeader("Retry-After") ?? 0, 10);
    let error = {};
    try {
      error = JSON.parse(line.responseText).error;
    } catch {
      // No answer of ours: a proxy's, or none at all.
    }
    if (method === "PATCH" && error.reason && status < 500) {
      const isReadable = line.getResponseHeader("Content-Language") === document.documentElement.lang;
      return { kind: "refused", words: isReadable ? error.message : "" };
    }
    if ([0, 408, 409, 423, 429].includes(status) || status >= 500) return { kind: "passing", wait };
    if (line.getResponseHeader("Upload-Error")) return { kind: "judged" };
    if (method !== "POST" && [403, 404, 410].includes(status)) return { kind: "gone" };
    return { kind: status === 413 ? "too-large" : "final" };
  };

  const create = async (of) => {
    const bytes = new TextEncoder().encode(of.name.slice(0, 255));
    const metadata = `filename ${btoa(String.fromCharCode(...bytes))}`;
    const line = await request(of, "POST", uploadUrl, { "Upload-Length": of.size, "Upload-Metadata": metadata });
    of.address = new URL(line.getResponseHeader("Location"), location.href).href;
    of.offset = 0;
    if (of.isStopped) await forget(of.address);
    else remember(of);
  };

  const ask = async (of) => {
    const offset = (line) => Number(line.getResponseHeader("Upload-Offset"));
    of.offset = await request(of, "HEAD", of.address).then(offset, (fault) => {
      if (fault.kind !== "judged") throw fault;
      return of.size;
    });
  };

  const sendPiece = async (of) => {
    const headers = { "Upload-Offset": of.offset, "Content-Type": "application/offset+octet-stream" };
    const piece = of.file.slice(of.offset, of.offset + pieceSize);
    const line = await request(of, "PATCH", of.address, headers, piece, (sent) => {
      of.sent = Math.min(of.offset + sent, of.size);
      paint();
    });
    of.offset = Number(line.getResponseHeader("Upload-Offset"));
    of.failures = 0;
  };

  /** Sends what is missing. With nothing missing one empty piece asks for the end's answer, which was
   * lost. */
  const sendAll = async (of) => {
    await (of.address ? ask(of) : create(of));
    do {
      if (of.isStopped) return;
      of.sent = of.offset;
      enter(of, "sending");
      await sendPiece(of);
    } while (of.offset < of.size);
  };

  /** Sends until the server has judged the photo, or nothing more can be tried. */
  const run = async (of) => {
    [of.failures, of.told] = [0, -1];
    enter(of, "sending");
    for (;;) {
      const fault = await sendAll(of).then(() => null, (fault) => fault);
      if (of.isStopped) return;
      if (!fault || fault.kind === "refused") return end(of, fault);
      if (fault.kind === "too-large") {
        stop(of);
        return complain(word("too-large", of));
      }
      if (fault.kind === "gone" && !of.isRenewed) {
        [of.address, of.isRenewed] = [null, true];
      } else if (fault.kind === "passing" && of.failures < pauses.length) {
        enter(of, "waiting");
        await pause(of, Math.max(pauses[of.failures++], fault.wait));
        if (of.isStopped) return;
      } else {
        // What arrived stays: Try again goes on from there.
        of.isRenewed = false;
        return enter(of, "failed");
      }
    }
  };

  /** Waits, but not longer than until the line is back. */
  const pause = (of, seconds) =>
    new Promise((resolve) => {
      of.wake = resolve;
      setTimeout(resolve, seconds * 1000);
    });

  addEventListener("online", () => {
    if (upload?.phase === "waiting") upload.wake();
    if (upload?.phase === "failed") run(upload);
  });

  // MARK: - From beginning to end

  /** What is being sent: file, name, size, address, offset, sent, phase; a ghost has no file. */
  let upload = null;
  const isBusy = () => ["sending", "waiting", "ended"].includes(upload?.phase);

  /** Begins with a file; it takes the place of one that is still being sent. */
  const begin = (file) => {
    const { name, size, lastModified } = file;
    const before = upload?.file ? null : recall();
    const isSame = before?.name === name && before.size === size && before.lastModified === lastModified;
    if (upload && !isSame) stop(upload);
    else if (before && !isSame) forget(before.address);
    upload = { file, name, size, address: isSame ? before.address : null, offset: 0, sent: 0, told: -1 };
    addEventListener("beforeunload", hold);
    const isFocused = [fileField(), document.body].includes(document.activeElement);
    run(upload);
    if (isFocused) find("animalPhoto.cancel").focus();
  };

  /** Asks before the page is left. */
  const hold = (event) => event.preventDefault();

  const forget = (address) => {
    if (recall()?.address === address) sessionStorage.removeItem(key);
    const headers = { "Tus-Resumable": "1.0.0" };
    return fetch(address, { method: "DELETE", headers, keepalive: true }).catch(() => {});
  };

  /** Ends an upload that nobody wants any more. */
  const stop = (of) => {
    of.isStopped = true;
    of.line?.abort();
    of.wake?.();
    leave();
    return of.address ? forget(of.address) : null;
  };

  const leave = () => {
    upload = null;
    removeEventListener("beforeunload", hold);
    find("animalPhoto.upload")?.remove();
    find("animalPhoto.continue").removeAttribute("aria-busy");
    fileField().disabled = false;
  };

  const cancel = async () => {
    const isSent = upload.sent === upload.size;
    const stopping = stop(upload);
    say(word("cancelled"));
    fileField().focus();
    await stopping;
    if (isSent) refresh().catch(() => {}); // the server may have been faster
  };

  /** The server has judged: its page says what came of it. */
  const end = async (of, refusal) => {
    sessionStorage.removeItem(key);
    removeEventListener("beforeunload", hold);
    enter(of, "ended");
    while (upload === of && (await refresh(true).catch(() => "again"))) await pause(of, 3);
    if (upload !== of) return;
    leave();
    if (!refusal) return of.next ? find("animalPhoto.continue").click() : say(word("attached", of));
    const status = refusal.words ? {} : await state().catch(() => ({}));
    complain(refusal.words || status.message || word("failed", of));
  };

  document.addEventListener("click", ({ target }) => {
    const id = target.closest("[data-testid]")?.dataset.testid;
    if (id === "animalPhoto.cancel" && upload) cancel();
    if (id !== "animalPhoto.retry" || upload?.phase !== "failed") return;
    find("animalPhoto.cancel").focus();
    run(upload);
  });

  document.addEventListener("submit", (event) => {
    const id = event.submitter?.dataset.testid;
    if (!isBusy()) return;
    if (id === "animalPhoto.remove") stop(upload);
    if (id === "animalPhoto.remove" || event.submitter?.value !== "next") return;
    // The form goes on by itself once the photo is there.
    event.preventDefault();
    upload.next = event.submitter;
    say(word("going"));
    paint();
  }, true);

  // MARK: - After a reload: the browser forgets the file, the server does not

  const key = "petspot.upload";
  const remember = ({ address, name, size, file: { lastModified } }) =>
    sessionStorage.setItem(key, JSON.stringify({ address, name, size, lastModified }));
  const recall = () => JSON.parse(sessionStorage.getItem(key));

  const offer = async () => {
    const before = recall();
    if (!before || upload) return;
    const fault = await ask(before).then(() => null, (fault) => fault);
    if (upload) return;
    const isOver = fault ? fault.kind !== "passing" : before.offset === before.size;
    if (isOver) return sessionStorage.removeItem(key);
    upload = { ...before, sent: before.offset ?? 0, told: -1 };
    enter(upload, "ghost");
  };

  // MARK: - What is seen of it

  /** The panel below the drop zone, there only while there is an upload. */
  const makePanel = () => {
    const panel = make("div", "upload", "animalPhoto.upload");
    const bar = make("div", "upload-bar", "animalPhoto.progress");
    bar.setAttribute("role", "progressbar");
    bar.append(document.createElement("span"));
    const buttons = make("div", "upload-buttons");
    for (const name of ["retry", "cancel"]) {
      buttons.append(make("button", "button secondary", `animalPhoto.${name}`, word(name)));
    }
    panel.append(make("p", "upload-text"), bar, buttons);
    dropZone().after(panel);
    return panel;
  };

  const enter = (of, phase) => {
    if (of.isStopped) return;
    const isNew = of.phase !== phase;
    of.phase = phase;
    paint();
    if (!isNew) return;
    // The first try comes at once: only a line that stays away is worth a word.
    if (phase === "waiting" && of.failures === 1) say(word("offline", of));
    if (phase === "failed") find("animalPhoto.retry").focus();
    if (phase === "failed" || phase === "ghost") say(wordsOf(of));
  };

  const percentOf = (of) => Math.floor((100 * of.sent) / of.size);
  const wordsOf = (of) => {
    const keys = { waiting: "offline", failed: "failed", ghost: "resume" };
    const percent = percentOf(of);
    const words = word(keys[of.phase] ?? (percent < 100 ? "sending" : "checking"), { name: of.name, percent });
    return of.next && isBusy() ? `${words}\n${word("going")}` : words;
  };

  /** Shows where the upload stands; a reader of screens hears of it at each quarter. */
  const paint = () => {
    if (!upload) return;
    const panel = find("animalPhoto.upload") ?? makePanel();
    const [percent, words, shown] = [percentOf(upload), wordsOf(upload), panel.firstChild];
    if (shown.textContent !== words) shown.textContent = words;
    const bar = find("animalPhoto.progress");
    bar.setAttribute("aria-valuenow", percent);
    bar.setAttribute("aria-label", upload.name);
    bar.firstChild.style.inlineSize = `${percent}%`;
    find("animalPhoto.retry").hidden = upload.phase !== "failed";
    find("animalPhoto.continue").setAttribute("aria-busy", Boolean(upload.next) && isBusy());
    // Browse rests while a photo is loading (seed 028); a drop or paste replaces it even then.
    fileField().disabled = isBusy();
    const quarter = Math.floor(percent / 25);
    if (upload.phase !== "sending" || quarter <= upload.told) return;
    upload.told = quarter;
    say(words);
  };

  // MARK: - The server's state, live

  let [turn, served] = [0, ""];

  /** Puts the server's <main> in the place of ours. The focus goes to what came of it when asked, else
   * stays where it was. */
  const refresh = async (takesFocus = false) => {
    const mine = ++turn;
    const { page, url } = await PetSpot.load(location.href);
    if (mine !== turn || (upload && !takesFocus)) return;
    if (url.pathname !== location.pathname) return location.assign(url);
    const main = page.querySelector("main");
    // What stands there already is not taken from under a finger.
    if (main.outerHTML === served && !takesFocus) return;
    served = main.outerHTML;
    const { id, dataset } = document.activeElement;
    document.querySelector("main").replaceWith(main);
    document.title = page.title;
    PetSpot.hideToast("animalPhoto.toast");
    const held = id ? document.getElementById(id) : dataset.testid && find(dataset.testid);
    const target = takesFocus ? find("animalPhoto.confirmationCard") : held;
    if (takesFocus && target) target.tabIndex = -1;
    target?.focus();
  };

  /** `{"status","photo"?,"failure"?}`, and `message` in the reader's words. */
  const state = async () => {
    const answer = await fetch(statusUrl, { headers: { Accept: "application/json" }, cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answer.json();
  };

  let known = null;
  const look = (told) => {
    const now = JSON.stringify([told.status, told.photo?.id, told.failure]);
    const isShown = Boolean(find("animalPhoto.confirmationCard"));
    const isNew = known === null ? (told.status === "confirmed") !== isShown : now !== known;
    known = now;
    if (isNew && !upload) refresh().catch(() => (known = null));
  };

  let source = null;
  let polling = null;
  const poll = () => (polling ??= setInterval(() => state().then(look, () => {}), 3000));
  const connect = () => {
    source ??= new EventSource(statusUrl);
    source.addEventListener("status", (event) => look(JSON.parse(event.data)));
    // It connects again by itself, unless the server answered with something else than events.
    source.onerror = () => source?.readyState === EventSource.CLOSED && poll();
  };

  // An open stream would keep the page out of the back/forward cache.
  addEventListener("pagehide", () => {
    source?.close();
    clearInterval(polling);
    [source, polling] = [null, null];
  });
  addEventListener("pageshow", (event) => {
    connect();
    if (event.persisted && !upload) refresh().catch(() => {});
  });
  offer();
  // Chosen before this file was there, or kept by the browser over a reload.
  if (fileField().files.length) fileField().dispatchEvent(new Event("change", { bubbles: true }));
})();
