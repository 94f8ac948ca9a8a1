"""Checks that must hold after each fault. Each yields what doesn't hold. `run` is a function that runs a petspot
command with the right stores, such as `Petspot.run`."""

from petspot import blob_fault


def ended(what, answer):
    return f"{what} ends in {answer.exit}: {answer.output.strip()[-300:]} {answer.errors.strip()[-300:]}"


def succeeded(what, answer, *others):
    """The command ended with 0 or with one of the other codes."""
    if answer.exit not in (0, *others):
        yield ended(what, answer)


def verified(run, *options, **settings):
    """Every recorded photo is complete, and nothing had to be quarantined."""
    answer = run("verify", "--all", *options, **settings)
    if answer.exit != 0 or any(answer.json.get(key) for key in ("damaged", "missing", "quarantined")):
        yield ended("verify", answer)


def swept(petspot):
    """A sweep removes everything that was in progress."""
    answer = petspot.run("sweep")
    if answer.exit != 0 or petspot.leftovers():
        yield f"incoming/ holds {petspot.leftovers()} after a sweep: {ended('sweep', answer)}"


def emptied(petspot):
    """Nothing is left in incoming/."""
    if petspot.leftovers():
        yield f"incoming/ holds {petspot.leftovers()}"


def outlived(left):
    """No process outlives the command that started it."""
    if left:
        yield f"{left} processes outlive it"


def shown(petspot, earlier=None):
    """The draft's photo is complete. `earlier` is the photo that must not be lost."""
    answer = petspot.run("status")
    if answer.exit != 0 or answer.status not in ("empty", "confirmed"):
        yield f"status {answer.status}, exit {answer.exit}: {answer.errors.strip()}"
    elif answer.status == "confirmed":
        if fault := blob_fault(answer.photo):
            yield fault
    elif earlier:
        yield "the earlier photo is lost"


def listed(run, answer):
    """Photos that an import acknowledged are in the library."""
    acknowledged = {line["id"] for line in answer.objects if line.get("outcome") == "imported"}
    if acknowledged and (lost := acknowledged - {photo["id"] for photo in run("list", "--limit", "1000000").objects}):
        yield f"{len(lost)} of {len(acknowledged)} photos that were acknowledged are not there"
