"""Rows 29 to 32: parameters, ranges, conditional requests, and other sites."""

import raw
from rows import API, row


@row(29, "invalid parameters")
def parameters(row):
    ask = row.server.ask
    # `AnnouncementsOverHTTPTests` has the common ones.
    for query, field in {
        "lat=1&lng=-180.0001": "lng", "lat=+1&lng=1": "lat", "lat=0x1&lng=1": "lat", "lat=&lng=1": "lat",
        "lat=1,5&lng=1": "lat", "lat=inf&lng=1": "lat", "limit=1.5": "limit", "limit=99999999999999999999": "limit",
        "limit=%201": "limit", "limit=": "limit", "sort=": "sort", "range=-1": "range", "range=NaN": "range",
        "lat=1&lat=1&lng=1": "lat", "limit=1&%6Cimit=2": "limit",
    }.items():  # fmt: skip
        row.expect(query, ask("GET", f"{API}?{query}"), 400, code="INVALID_PARAMETER", field=field)
    for query in ("limit=100", "lat=-90&lng=180&sort=distanceFromUser&range=5.5", "lat=0&lng=-0", ""):
        row.expect(query or "none", ask("GET", f"{API}?{query}"), 200)
    row.expect("bad UTF-8", ask("GET", f"{API}?lat=%ff&lng=1"), 400, code="INVALID_PARAMETER")


@row(30, "ranges of a picture")
def ranges(row):
    owner = row.borrow()
    row.expect("a photo", row.upload(owner), 201)
    path = row.photo_of(owner)
    whole = row.server.ask("GET", path)
    size = len(whole.body)
    parts = {"0-0": (0, 1), "-500": (size - 500, size), f"{size - 1}-": (size - 1, size), "0-": (0, size)}
    parts[f"5-{10**30}"] = (5, size)
    for text, (start, end) in parts.items():
        answer = row.server.ask("GET", path, {"Range": f"bytes={text}"})
        same = answer.status == 206 and answer.body == whole.body[start:end]
        named = answer["content-range"] == f"bytes {start}-{end - 1}/{size}"
        row.case(f"bytes={text[:20]}", same and named, f"{answer} of {len(answer.body)} bytes")
    for text in (f"{size}-", "-0"):
        answer = row.server.ask("GET", path, {"Range": f"bytes={text}"})
        row.case(f"bytes={text}", answer.status == 416 and answer["content-range"] == f"bytes */{size}", f"{answer}")
    for text in ("5-1", "0-1,3-4", "x", "-", "+1-2", ",".join(["0-"] * 200)):
        answer = row.server.ask("GET", path, {"Range": f"bytes={text}"})
        same = answer.status == 200 and answer.body == whole.body and answer["content-range"] is None
        row.case(f"bytes={text[:20]}", same, f"{answer} of {len(answer.body)} bytes")


@row(31, "conditional requests for pictures")
def conditions(row):
    owner = row.borrow()
    row.expect("a photo", row.upload(owner), 201)
    path = row.photo_of(owner)
    tag = row.server.ask("GET", path)["etag"]
    row.case("a strong tag", tag and tag[0] == tag[-1] == '"', tag)
    for text in (tag, f"W/{tag}", f'"x", {tag}', f'"a,b",{tag}, "c"', "*"):
        with row.server.connect(row.work.address()) as connection:
            connection.send(raw.request("GET", path, {"If-None-Match": text}) + raw.request("OPTIONS", API))
            answer, after = connection.read(), connection.read()
            row.expect(f"If-None-Match: {text[:20]}", answer, 304)
            row.case("no body", after and after.status == 204)
            row.case("with the tag", answer["etag"] == tag and answer["cache-control"] == "public, max-age=300, must-revalidate")
    for text in ('"x"', tag[1:-1], "", '"', f'"{tag}"'):
        row.expect(f"If-None-Match: {text[:20]}", row.server.ask("GET", path, {"If-None-Match": text}), 200)
    fields = {"If-Modified-Since": "Fri, 31 Dec 2100 23:59:59 GMT"}
    row.expect("If-Modified-Since", row.server.ask("GET", path, fields), 200)


@row(32, "CORS requests of other sites")
def preflight(row):
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        fields = {
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization",
        }
        for method, path in (("OPTIONS", API), ("GET", API), ("OPTIONS", "/none"), ("GET", "/api/health")):
            answer = row.server.ask(method, path, fields)
            told = [name for name, _ in answer.fields if name.startswith("access-control")]
            row.case(f"{method} {path} for {origin}", not told, f"{told}")
