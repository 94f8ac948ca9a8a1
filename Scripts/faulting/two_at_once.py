"""Concurrent commands on one draft."""

import shutil

import invariants
import pictures
from board import Tally
from files import write
from stores import beside

ROUNDS, QUICK_ROUNDS = 60, 1
SUBMITTERS = (2, 4, 6)
LIMIT = 120  # seconds that one command may take
DESCRIPTION = ("--date", "2025-11-18", "--species", "dog", "--race", "Beagle", "--gender", "male")
CONTACT = ("--name", "Jan", "--phone", "600 700 800", "--reward", "100")


def two_at_once(work):
    """Concurrent commands on one draft: one announcement with one working code, and no completed step is lost."""
    photo = write(work.path("photo.png"), pictures.png(work.dice))
    yield submitting(work, photo)
    yield stepping(work, photo)


def together(petspot, *commands):
    return beside(len(commands), lambda number: petspot.run("report", *commands[number], timeout=LIMIT))


def all_succeeded(what, answers):
    return [fault for answer in answers for fault in invariants.succeeded(what, answer)]


def submitting(work, photo):
    tally, rounds = Tally("two-at-once: submits"), work.count(QUICK_ROUNDS, ROUNDS)
    for number in range(rounds):
        count = SUBMITTERS[number % len(SUBMITTERS)] if not work.quick else 4
        petspot = work.petspot(f"submit-{number}")
        for step in (("photo", photo), ("describe", *DESCRIPTION), ("contact", *CONTACT)):
            tally.faults += invariants.succeeded(step[0], petspot.run("report", *step))
        answers = together(petspot, *[("submit",)] * count)
        faults = [*all_succeeded(f"one of {count} submits", answers), *judge(petspot, answers)]
        tally.add(f"round {number + 1}", faults, tries=count)
        shutil.rmtree(petspot.cache)
    tally.notes = f"{rounds} drafts, up to {max(SUBMITTERS)} submits of each at once"
    return tally


def judge(petspot, answers):
    """There must be one announcement, which all answers name, and one code, which must work."""
    ids = {answer.json.get("announcement", {}).get("id") for answer in answers}
    codes = {answer.json.get("managementPassword") for answer in answers} - {None}
    listed = [item.get("id") for item in petspot.run("announcements").objects]
    if len(ids) != 1 or listed != [*ids]:
        yield f"{ids} answered, {listed} listed"
    if len(codes) != 1:
        yield f"{len(codes)} codes"
    for code in codes:
        for id in listed:
            closed = petspot.run("announcements", "close", id, "--password", code)
            yield from invariants.succeeded(f"closing {id} by a code", closed)


def stepping(work, photo):
    tally, rounds = Tally("two-at-once: steps"), work.count(2, 200)
    for number in range(rounds):
        petspot = work.petspot(f"step-{number}")
        chip = f"{number:015}"
        answers = together(petspot, ("chip", "--number", chip), ("describe", *DESCRIPTION), ("contact", *CONTACT))
        faults = all_succeeded("a step", answers)
        faults += invariants.succeeded("photo", petspot.run("report", "photo", photo))
        counted = petspot.run("report", "status").json.get("counted", {})
        found = (
            counted.get("chipNumber"),
            (counted.get("description") or {}).get("race"),
            (counted.get("contact") or {}).get("name"),
        )
        if found != (chip, "Beagle", "Jan"):
            faults.append(f"answered done and lost: {found}")
        tally.add(f"round {number + 1}", faults, tries=len(answers))
        shutil.rmtree(petspot.cache)
    tally.notes = f"{rounds} drafts, three steps of each at once"
    return tally
