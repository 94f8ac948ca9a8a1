"""What a server sustains during uploads: a list of 100,000 announcements in time, and 10,000 idle connections."""

import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time

import landing
import results
import running
from comparing import HERE, fresh

LIST = "/api/v1/announcements"
MOST_LIST, MOST_IDLE = 20.0, 150 << 20  # milliseconds of 99 in 100 responses; bytes
HEALTH = b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
FROM_ONE = 200  # idle connections per client, no more than a server with limits accepts


def measured(arguments, files, uploads_to):
    """Returns the figures of both. `uploads_to` makes the uploads that run at the same time."""
    cache = fresh("petspot")
    photo = landing.attached(arguments, cache)
    landing.fill(landing.catalog(cache), arguments.announcements, photo)
    figures = {"announcements": arguments.announcements}
    with running.petspot(arguments, "--no-client-limits", cache=cache) as service:
        uploads = uploads_to(service, files)
        figures["alone"] = asked(service, arguments, 0)
        figures["paced alone"] = asked(service, arguments, arguments.pause)
        threading.Thread(target=uploads.send, args=(arguments.clients, True), daemon=True).start()
        time.sleep(2)
        for name, pause in (("beside uploads", 0), ("paced beside uploads", arguments.pause)):
            count = len(uploads.took)
            figures[name] = asked(service, arguments, pause)
            figures[name]["uploads"] = (len(uploads.took) - count) / figures[name]["seconds"]
        uploads.is_over.set()
        time.sleep(3)
    fresh("petspot")
    figures["silent"], figures["answered"] = idle(arguments, b""), idle(arguments, HEALTH)
    return figures


def asked(service, arguments, pause):
    """Returns the milliseconds of responses to clients that request the first page of the list."""
    options = [service.port, LIST, arguments.askers, arguments.seconds, pause]
    command = [sys.executable, os.path.join(HERE, "asking.py"), *map(str, options)]
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    took = sorted(done["milliseconds"])
    row = {"clients": arguments.askers, "pause": pause, "seconds": done["seconds"], "rate": len(took) / done["seconds"]}
    row |= {f"p{share}": percentile(took, share) for share in (50, 95, 99)} | {"slowest": took[-1]}
    print(f"the list, {row['rate']:.0f} a second: p50 {row['p50']:.1f} ms, p99 {row['p99']:.1f} ms", flush=True)
    return row


def percentile(ordered, share):
    """Returns the smallest value that at least this percentage of the values doesn't exceed."""
    return ordered[min(len(ordered) - 1, -(-len(ordered) * share // 100) - 1)]


def idle(arguments, request):
    """Returns the bytes that connections cost, either silent ones or ones that got a response to one request."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(arguments.idle, hard - 500)
    with running.petspot(arguments) as service:
        for _ in range(200):  # warm up
            connected(service.port, "127.0.0.1", HEALTH).close()
        time.sleep(1)
        before, begin, held = service.memory(), time.monotonic(), []
        for number in range(count):
            client = number // FROM_ONE
            held.append(connected(service.port, f"127.0.{1 + client // 200}.{1 + client % 200}", request))
        took = time.monotonic() - begin
        if not request:  # the server only has to accept them
            time.sleep(2)
        full, descriptors = service.memory(), service.descriptors()
        connected(service.port, "127.0.0.1", HEALTH).close()  # the server still serves others
        for connection in held:
            connection.close()
        time.sleep(2)
        row = {
            "connections": count, "before": before, "full": full, "after": service.memory(), "seconds": took,
            "descriptors": descriptors,
        }  # fmt: skip
    fresh("petspot")
    print(f"{count} idle connections: {results.mebibytes(full - before)} in {took:.0f} s", flush=True)
    return row


def connected(port, source, request):
    """Opens a connection. If there is a request, reads its response."""
    connection = socket.create_connection(("127.0.0.1", port), 30, (source, 0))
    if request:
        connection.sendall(request)
        if not connection.recv(1 << 16).startswith(b"HTTP/1.1 200 "):
            raise OSError("no answer")
    return connection


def told(figures):
    """Returns a table, and checks."""
    names = [name for name in ("alone", "beside uploads", "paced alone", "paced beside uploads") if name in figures]
    rows = [
        (
            name, f"{row['rate']:.0f}", f"{row['uploads']:.1f}" if "uploads" in row else "0",
            *(f"{row[key]:.1f}" for key in ("p50", "p95", "p99", "slowest")),
        )
        for name, row in ((name, figures[name]) for name in names)
    ]  # fmt: skip
    one, kinds = figures["paced beside uploads"], {"silent": "that said nothing", "answered": "with one answer behind each"}
    count = figures["silent"]["connections"]
    sizes = [
        (what, *(results.mebibytes(figures[name][key]) for key in ("before", "full", "after")), f"{figures[name]['descriptors']:,}")
        for name, what in kinds.items()
    ]  # fmt: skip
    lines = [
        f"## The list out of {figures['announcements']:,} announcements", "",
        f"`GET {LIST}`, the first page, by {one['clients']} clients with a connection each, beside uploads of the photos "
        f"above; milliseconds. Paced: each asks every {one['pause'] * 1000:.0f} ms; else again as soon as it has its answer, "
        "which takes the cores from the uploads.", "",
        results.table(("", "lists/s", "uploads/s", "p50", "p95", "p99", "slowest"), rows), "",
        f"## {count:,} idle connections", "", "Resident memory of the server, its decoders not among it.", "",
        results.table(("connections", "before", "with them", "after", "descriptors"), sizes),
    ]  # fmt: skip
    found = [
        (f"the list beside uploads, {one['clients']} clients, p99", f"{one['p99']:.1f} ms", f"< {MOST_LIST:.0f} ms", one["p99"] < MOST_LIST),
    ]  # fmt: skip
    for name, what in kinds.items():
        cost, held = figures[name]["full"] - figures[name]["before"], figures[name]["descriptors"]
        text = f"memory of {count:,} connections {what}"
        found.append((text, results.mebibytes(cost), "< 150 MiB", cost < MOST_IDLE and held >= count))
    return "\n".join(lines), found
