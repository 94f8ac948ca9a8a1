"""Rows 68 and 69: the server gets SIGTERM, and is killed."""

import contextlib
import signal
import subprocess
import time

import raw
from board import spread
from pictures import png
from rows import API, OTHER, PHOTO, content, row
from shimming import Orders, Shim


@row(68, "SIGTERM during uploads")
def terminated(row):
    with row.own_server("term") as server:
        owner = row.create(server)
        body = raw.form(raw.part(png(row.work.dice, 400)))
        other = row.create(server)
        row.expect("a photo", row.upload(other, body, server=server), 201)
        large = server.ask("GET", f"{API}/{other[0]}").json["photoUrl"].partition("/images/")[2]
        large = f"/images/{large}"
        opening = row.opening(owner, len(body))
        upload, slow, idle = (server.connect(row.work.address(), timeout=40) for _ in range(3))
        upload.send(opening + body[:100_000])
        if not row.work.quick:  # these take the 20 s that requests have
            slow.send(opening + body[:100])
            unread = server.connect(row.work.address(), receive_buffer=4096)
            unread.send(raw.request("GET", large))
        idle.send(raw.request("GET", API))
        row.expect("before", idle.read(), 200)
        time.sleep(0.3)
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        row.case("an idle connection is closed", idle.closes(5))
        refused = False
        try:
            with server.connect(timeout=3) as late:
                late.send(raw.request("GET", API))
                late.read()
                refused = late.is_over and not late.received
        except (OSError, raw.Broken):
            refused = True
        row.case("no new connections", refused)
        upload.send(body[100_000:])
        row.expect("the upload in progress completes", upload.read(), 201)
        try:
            code = server.process.wait(40)
        except subprocess.TimeoutExpired:
            code = "hangs"
        took = time.monotonic() - begin
        row.case("it exits with 0", code == 0, f"{code}")
        row.case("within 20 s", took < 20.5, f"{took:.0f} s")
        row.note = f"{took:.1f} s, exit {code}"
        server.start()
        row.case("the photo is there", row.picture(owner, server))
        row.case("nothing is left", not server.incoming(), f"{server.incoming()}")
        row.case("nothing is loading", server.petspot.run("status").status != "loading")
        row.case("verify", server.petspot.run("verify", "--all").exit == 0)
        row.case("it ends at once without work", server.stop(10) == 0)


@row(69, "SIGKILL at the state-changing calls of an upload")
def killed(row):
    orders = Orders(Shim(row.work))
    with row.own_server("calls", environment=orders.environment) as server:
        owner = prepare(row, server)
        orders.give()
        row.expect("undisturbed", row.upload(owner, server=server, path=OTHER), 201)
        time.sleep(0.2)
        calls = len(orders.end())
    points, hits = spread(row.work, 3 if row.work.quick else calls, range(1, calls + 1)), 0
    for number in points:
        with row.own_server("kill", environment=orders.environment) as server:
            owner = prepare(row, server)
            old = row.picture(owner, server)
            orders.give(number, "kill")
            answer = None
            with contextlib.suppress(OSError, raw.Broken):
                answer = row.upload(owner, server=server, path=OTHER, timeout=30)
            died = server.wait(lambda server=server: not server.runs, 0.5)
            hits += died
            if not died:
                server.stop()
            orders.end()
            server.environment = None
            server.start()
            shown = row.picture(owner, server)
            row.case(f"call {number}: a whole photo is shown", shown, "none")
            if answer is not None and answer.status == 201:
                row.case(f"call {number}: the acknowledged photo stays", shown != old)
            repeat = row.upload(owner, server=server, path=OTHER)
            row.expect(f"call {number}: a repeat", repeat, 201)
            row.case(f"call {number}: the new one is shown", row.picture(owner, server) != old)
            verified = server.petspot.run("verify", "--all")
            row.case(f"call {number}: verify", verified.exit == 0, verified.output)
            server.petspot.run("sweep")
            row.case(f"call {number}: nothing is left", not server.incoming(), f"{server.incoming()}")
    # Some calls come earlier or later in another run, and those after the response perhaps never.
    row.case("most points are met", hits * 3 >= len(points) * 2, f"{hits} of {len(points)} points")
    row.note = f"{hits} killed of {len(points)} points, {calls} calls"


def prepare(row, server):
    """Creates an announcement with a photo."""
    owner = row.create(server)
    row.expect("the old photo", row.upload(owner, raw.form(raw.part(content(PHOTO))), server=server), 201)
    return owner
