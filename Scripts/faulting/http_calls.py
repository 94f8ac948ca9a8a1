"""Kills a server at the calls of an upload."""

import invariants
from board import Tally, spread
from shimming import Orders, Shim, outlived
from uploading import ACTS, DYING, Place, tidy, wait_for_end


def http_calls(work):
    """SIGKILL of the server at every call that changes a file, in forms, tus, the page and creation."""
    tally, place, orders = Tally("http-calls"), Place(work), Orders(Shim(work))
    kinds = work.dice.sample(ACTS, 2) if work.quick else ACTS
    points = [(kind, number, call) for kind in kinds for number, call in enumerate(calls(place, orders, kind), 1)]
    killed = told = 0
    chosen = spread(work, work.count(2, len(points)), points)
    for kind, number, call in chosen:
        act, server = kind(place), place.fresh(orders.environment)
        orders.give(number, "kill")
        act.send()
        # Calls after the last response count too.
        killed += wait_for_end(server)
        if server.runs:
            server.kill()
        faults = [*invariants.outlived(outlived(server.pid, DYING))]
        hit = (orders.end() or [call])[0]
        told += act.is_done
        place.again()
        faults += [*act.faults(), *tidy(server)]
        server.kill()
        tally.add(f"{kind.name}, call {number} ({hit})", faults)
        tally.progress(len(chosen), 50)
    counts = ", ".join(f"{sum(point[0] is kind for point in points)} {kind.name}" for kind in kinds)
    tally.expect_some(killed, "killed")
    tally.notes = f"{killed} killed of {len(points)} calls ({counts}), {told} behind the last answer"
    yield tally


def calls(place, orders, kind):
    """Returns the counted calls of an undisturbed act."""
    with place.fresh(orders.environment) as server:
        orders.give()
        act = kind(place)
        act.send()
        wait_for_end(server)
        if not act.is_done:
            raise SystemExit(f"http-calls: {kind.name} fails undisturbed: {act.answer}")
        return orders.end()
