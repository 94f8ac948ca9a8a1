"""A client that requests health, a page and a list until its input ends: `looking.py PORT SECONDS [CERTIFICATE]`.
It is a separate process because attacking threads would keep it from running. Prints its results as JSON."""

import contextlib
import json
import select
import ssl
import sys
import time

import raw

LOOKS = ("/api/health", "/", "/api/v1/announcements")


def main(port, most, certificate=None):
    tls = ssl.create_default_context(cafile=certificate) if certificate else None
    if tls:
        tls.check_hostname = False
    longest, failed, count = 0, [], 0
    while not select.select([sys.stdin], [], [], 0.2)[0]:
        for path in LOOKS:
            # A new source address for each request. Rows take their addresses from the other end of the range.
            begin, answer, source = time.monotonic(), None, f"127.{100 + count // 60000}.{count // 250 % 240}.{1 + count % 250}"
            with (
                contextlib.suppress(OSError, raw.Broken),
                raw.Connection(port, source, timeout=10, tls=tls) as connection,
            ):
                connection.send(raw.request("GET", path))
                answer = connection.read()
            took = time.monotonic() - begin
            count, longest = count + 1, max(longest, took)
            if answer is None or answer.status != 200 or took > most:
                failed.append(f"{path}: {answer} after {took:.1f} s")
    print(json.dumps({"count": count, "longest": longest, "failed": failed}))


main(int(sys.argv[1]), float(sys.argv[2]), *sys.argv[3:])
