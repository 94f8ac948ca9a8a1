"""Row 68: the server gets SIGTERM. `faults http-calls` kills it at each call of an upload."""

import signal
import subprocess
import time

import raw
from pictures import png
from rows import API, row


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
