"""Rows 50 to 58 and 165: passwords, other sites, drafts, and access to other people's data."""

import base64
import random
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from rows import API, JSON, OTHER, PHOTO, content, median, row


def credentials(data):
    return {"Authorization": "Basic " + base64.b64encode(data).decode()}


@row(50, "invalid credentials")
def no_credentials(row):
    owner = row.borrow()
    user = owner[0].encode()
    for what, fields in {
        "absent": {}, "Bearer": {"Authorization": "Bearer abc"}, "no value": {"Authorization": "Basic"},
        "empty": {"Authorization": ""},
        "no colon": credentials(user), "no name": credentials(b":x"), "no password": credentials(user + b":"),
        "nothing": credentials(b":"),
        "bad base64": {"Authorization": "Basic !!!"}, "URL base64": {"Authorization": "Basic -_-_"},
        "not UTF-8": credentials(user + b":\xff"),
        "NUL": credentials(user + b":a\0b"), "8 KB": credentials(user + b":" + b"a" * 8000),
        "two": {"Authorization": "Basic YTpi, Basic YTpi"},
        "Digest": {"Authorization": 'Digest username="a"'}, "a line end": credentials(user + b":a\nb"),
    }.items():  # fmt: skip
        for method, path, body in (("DELETE", f"{API}/{owner[0]}", None), ("POST", f"{API}/{owner[0]}/photos", b"")):
            answer = row.server.ask(method, path, fields, body, row.work.address())
            if row.expect(f"{what}, {method}", answer, 401, code="UNAUTHENTICATED"):
                row.case("it asks for Basic", (answer["www-authenticate"] or "").startswith("Basic realm="))
    row.expect("the announcement is still there", row.server.ask("GET", f"{API}/{owner[0]}"), 200)


@row(51, "another's credentials")
def other_credentials(row):
    first, second = row.create(), row.create()
    pairs = {
        "another's name": second,
        "another's password": (first[0], second[1]),
        "another's name, right password": (second[0], first[1]),
    }
    pairs |= {"capitals": (first[0].upper(), first[1]), "a part": (first[0], first[1][:-1]), "none": (first[0], "-")}
    for what, owner in pairs.items():
        source = row.work.address()
        answer = row.server.ask("DELETE", f"{API}/{first[0]}", raw.basic(*owner), None, source)
        row.expect(f"{what}, DELETE", answer, 403, code="UNAUTHORIZED")
        answer = row.server.ask("POST", f"{API}/{first[0]}/photos", raw.basic(*owner) | raw.form_type(), b"", source)
        row.expect(f"{what}, photo", answer, 403, code="UNAUTHORIZED")
    row.expect("the owner", row.server.ask("DELETE", f"{API}/{first[0]}", raw.basic(*first)), 204)
    row.expect("closed", row.server.ask("GET", f"{API}/{first[0]}"), 410, code="CLOSED")


@row(52, "100 wrong passwords")
def guessing(row):
    with row.own_server("guessing") as server:
        owner, stranger = row.create(server), row.work.address()
        found = [
            close(server, (owner[0], f"guess-{number}"), stranger) for number in range(20 if row.work.quick else 100)
        ]
        statuses = {answer.status for answer in found}
        row.case("403, then 429", found[0].status == 403 and statuses == {403, 429}, f"{statuses}")
        row.case("few are compared", sum(answer.status == 403 for answer in found) <= 10)
        row.case("refusals have a Retry-After", all(answer["retry-after"] for answer in found if answer.status == 429))
        row.expect("the owner elsewhere", row.upload(owner, server=server), 201)
        code = server.stop()
        row.case("the server ends", code == 0, f"{code}")
        server.start()
        # A client gets back one try every 12 seconds.
        found = [close(server, (owner[0], "guess"), stranger) for _ in range(3)]
        row.expect("a guess after a restart", found[-1], 429)
        row.expect("its right guess", close(server, owner, stranger), 429)
        row.expect("the owner after it", close(server, owner, row.work.address()), 204)


def close(server, owner, source):
    return server.ask("DELETE", f"{API}/{owner[0]}", raw.basic(*owner), None, source, timeout=60)


@row(53, "1,000 attempts at once", slow=True)
def attempts(row):
    with row.own_server("attempts") as server:
        owners = [row.create(server) for _ in range(20)]
        usual = median([row.timed(server, API) for _ in range(50)])
        jobs = [(owners[number % 20], row.work.address()) for number in range(1000)]
        beside = []
        with ThreadPoolExecutor(200) as pool:
            running = [pool.submit(close, server, (owner[0], "wrong"), source) for owner, source in jobs]
            while not all(job.done() for job in running):
                beside.append(row.timed(server, API))
            found = [job.result() for job in running]
        statuses = [answer.status for answer in found if answer]
        row.case("all get a response", len(statuses) == 1000 and set(statuses) <= {403, 429, 503}, f"{set(statuses)}")
        row.case("pages stay fast", median(beside) < 2 * usual + 0.05, f"{median(beside):.3f} s instead of {usual:.3f}")
        row.note = f"{statuses.count(403)} compared"


@row(54, "response times reveal nothing about a password", slow=True)
def timing(row):
    with row.own_server("timing") as server:
        owner = row.create(server)
        last = "X" if owner[1][-1] != "X" else "Y"
        wrong = {"prefix": owner[1][:-1] + last, "nothing": "2222-2222-2222"}
        times = {name: [] for name in wrong}
        for _ in range(250):
            for name in row.work.dice.sample(list(wrong), 2):
                source = row.work.address()
                begin = time.monotonic()
                answer = close(server, (owner[0], wrong[name]), source)
                times[name].append(time.monotonic() - begin)
                row.expect(f"a wrong password ({name})", answer, 403)
        middles = {name: median(values) for name, values in times.items()}
        spread = statistics.quantiles(times["nothing"], n=4)
        gap, usual = abs(middles["prefix"] - middles["nothing"]), spread[2] - spread[0]
        # The error of a median of 250 is about a tenth of the interquartile range. Three times that is a signal.
        row.case("the medians are equal", gap < usual / 3 + 0.0005, f"{gap * 1e6:.0f} of {usual * 1e6:.0f} µs apart")
        row.note = f"medians {gap * 1e6:.0f} µs apart, quartiles {usual * 1e6:.0f} µs"


@row(55, "requests from other sites")
def cross_site(row):
    own = f"127.0.0.1:{row.server.port}"
    # `AnnouncementsOverHTTPTests` has each field alone.
    for what, fields in {
        "another port": {"Origin": "http://127.0.0.1:1"}, "empty": {"Origin": ""}, "no address": {"Origin": "evil"},
        "one of two": {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{own}"},
    }.items():  # fmt: skip
        answer = row.server.ask("POST", API, JSON | fields, row.report(), row.work.address(), host=own)
        row.expect(what, answer, 403, code="CROSS_ORIGIN")
    for fields in ({}, {"Sec-Fetch-Site": "none"}):
        answer = row.server.ask("POST", API, JSON | fields, row.report(), row.work.address(), host=own)
        row.expect(f"allowed: {fields}", answer, 201)
    answer = row.server.ask("GET", API, {"Sec-Fetch-Site": "cross-site"})
    row.expect("reading is allowed for all", answer, 200)
    owner = row.create()
    answer = row.server.ask("DELETE", f"{API}/{owner[0]}", raw.basic(*owner) | {"Origin": "null"})
    row.expect("DELETE of another site", answer, 403, code="CROSS_ORIGIN")


@row(57, "other people's photos and uploads")
def others(row):
    owner = row.create()
    row.expect("a photo", row.upload(owner), 201)
    shown = row.photo_of(owner)
    row.expect("shown", row.server.ask("GET", shown), 200)
    attached = row.server.petspot.run("attach", OTHER)
    row.case("the command line has a draft", attached.exit == 0, attached.errors)
    draft = str(attached.photo.get("id", "")).lower()
    unknown = row.server.ask("GET", "/images/00000000-0000-4000-8000-000000000000")
    for what, path in {"a draft's photo": f"/images/{draft}", "its preview": f"/images/{draft}-preview"}.items():
        answer = row.server.ask("GET", path)
        row.expect(what, answer, 404)
        same = without_id(answer) == without_id(unknown)
        row.case("the same response as for an unknown photo", same)
    row.expect("closing", row.server.ask("DELETE", f"{API}/{owner[0]}", raw.basic(*owner)), 204)
    row.expect("a closed one's photo", row.server.ask("GET", shown), 404)
    listed = row.server.ask("GET", f"{API}?limit=100")
    row.case("it is gone from the list", owner[0].encode() not in listed.body)
    for token in ("A" * 22, "../x", "0" * 32):
        for method in ("HEAD", "PATCH", "DELETE"):
            fields = raw.basic(*owner) | {"Tus-Resumable": "1.0.0", "Upload-Offset": 0}
            fields |= {"Content-Type": "application/offset+octet-stream"}
            answer = row.server.ask(method, f"{API}/{owner[0]}/uploads/{token}", fields, b"")
            row.expect(f"{method} of an unknown upload", answer, 404, 410)


def without_id(answer):
    return answer.status, answer.error | {"requestId": None}


MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{7*7}}"


@row(58, "markup in every text field")
def markup(row):
    fields = dict.fromkeys(("ownerName", "petName", "breed", "description", "reward"), MARKUP)
    owner = row.create(**fields)
    body = raw.form(raw.part(content(PHOTO), b'name="photo"; filename="<script>alert(1)</script>.jpg"'))
    row.expect("a photo", row.upload(owner, body), 201)
    answer = row.server.ask("GET", f"{API}/{owner[0]}")
    told = answer["content-type"].partition(";")[0], answer["x-content-type-options"]
    row.case("JSON stays JSON", told == ("application/json", "nosniff"), told)
    row.case("text stays text", answer.json.get("petName") == MARKUP, f"{answer.json.get('petName')}")
    policy = answer["content-security-policy"] or ""
    holds = "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    row.case("no scripts, no frames", holds, policy)
    for path in ("/", "/announcements", f"/announcements/{owner[0]}"):
        page = row.server.ask("GET", path)
        row.case(f"{path} escapes it", b"<script>alert" not in page.body and b"<img src=x" not in page.body)
        row.case(f"{path} is not framed", "frame-ancestors 'none'" in (page["content-security-policy"] or ""))


@row(165, "reopening a closed announcement")
def reopened(row):
    """`FeedTests` has its short address."""
    chip = "%015d" % random.getrandbits(48)
    owner = row.create(microchipNumber=chip)
    row.expect("its photo", row.upload(owner), 201)
    one, again = f"{API}/{owner[0]}", f"{API}/{owner[0]}/reopen"

    def ask(method, path, code=owner[1]):
        return row.server.ask(method, path, raw.basic(owner[0], code), None, row.work.address())

    row.expect("open already", ask("POST", again), 200)
    row.expect("closed", ask("DELETE", one), 204)
    row.expect("without a code", row.server.ask("POST", again), 401, code="UNAUTHENTICATED")
    row.expect("another's code", ask("POST", again, "AAAA-AAAA-AAAA-AAAA"), 403, code="UNAUTHORIZED")
    row.expect("by GET", ask("GET", again), 405)
    row.expect("opened again", ask("POST", again), 200)
    row.expect("closed again", ask("DELETE", one), 204)
    other = row.create(microchipNumber=chip)
    row.expect("another with its chip", row.upload(other), 201)
    row.expect("its chip is taken", ask("POST", again), 409, code="CONFLICT")
    row.expect("erased", ask("DELETE", one + "?erase=true"), 204)
    row.expect("erased for good", ask("POST", again), 410, code="CLOSED")
