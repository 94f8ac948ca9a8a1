"""Commands on one draft at the same moment: one announcement with one code that works, no step answered done lost."""

import shutil
import subprocess

import board
import pictures
from petspot import Answer

ROUNDS, QUICK_ROUNDS = 60, 1
SUBMITTERS = (2, 4, 6)
LIMIT = 120  # seconds one command may take
DESCRIPTION = ("--date", "2025-11-18", "--species", "dog", "--race", "Beagle", "--gender", "male")
CONTACT = ("--name", "Jan", "--phone", "600 700 800", "--reward", "100")


def run(work):
    photo = work.folder + "/photo.png"
    with open(photo, "wb") as file:
        file.write(pictures.png(work.dice))
    yield submitting(work, photo)
    yield stepping(work, photo)


def together(petspot, *commands):
    """Starts all commands before it waits for any."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = [subprocess.Popen(petspot.command(*command), **pipes) for command in commands]
    answers = []
    for process in running:
        try:
            output, errors = process.communicate(timeout=LIMIT)
            answers.append(Answer(process.returncode, output, errors))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            answers.append(Answer("timeout"))
    return answers


def refused(name, answers):
    """A fault for each command that did not succeed."""
    for answer in answers:
        if answer.exit != 0:
            yield f"{name}: exit {answer.exit} {answer.output[-300:]} {answer.errors[-300:]}"


def submitting(work, photo):
    tally, rounds = board.Tally("two-at-once: submits"), work.count(QUICK_ROUNDS, ROUNDS)
    for number in range(rounds):
        count = SUBMITTERS[number % len(SUBMITTERS)] if not work.quick else 4
        petspot = work.petspot(f"submit-{number}")
        for step in (("photo", photo), ("describe", *DESCRIPTION), ("contact", *CONTACT)):
            tally.faults += refused("before", [petspot.run("report", *step)])
        answers = together(petspot, *[("report", "submit")] * count)
        tally.tried += count
        faults = [*refused(f"{count} submits", answers), *judge(petspot, answers)]
        tally.faults += [f"round {number + 1}: {fault}" for fault in faults]
        shutil.rmtree(petspot.cache)
    tally.notes = f"{rounds} drafts, up to {max(SUBMITTERS)} submits of each at once"
    return tally


def judge(petspot, answers):
    """One announcement, which all of them name, and one code, which works."""
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
            if closed.exit != 0:
                yield f"a code does not close {id}: exit {closed.exit} {closed.errors[-200:]}"


def stepping(work, photo):
    tally, rounds = board.Tally("two-at-once: steps"), work.count(2, 200)
    for number in range(rounds):
        petspot = work.petspot(f"step-{number}")
        chip = f"{number:015}"
        answers = together(
            petspot,
            ("report", "chip", "--number", chip),
            ("report", "describe", *DESCRIPTION),
            ("report", "contact", *CONTACT),
        )
        tally.tried += len(answers)
        faults = [*refused("a step", answers)]
        faults += refused("photo", [petspot.run("report", "photo", photo)])
        counted = petspot.run("report", "status").json.get("counted", {})
        found = (
            counted.get("chipNumber"),
            (counted.get("description") or {}).get("race"),
            (counted.get("contact") or {}).get("name"),
        )
        if found != (chip, "Beagle", "Jan"):
            faults.append(f"answered done and lost: {found}")
        tally.faults += [f"round {number + 1}: {fault}" for fault in faults]
        shutil.rmtree(petspot.cache)
    tally.notes = f"{rounds} drafts, three steps of each at once"
    return tally
