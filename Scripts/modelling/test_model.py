"""Searches all runs of the protocols in this folder with spin. With every rule the invariant must hold. If any one
rule is left out, spin must find a run that breaks it; otherwise the rule, or its model, would be useless."""

import os
import re
import subprocess

import pytest
from conftest import check

HERE = os.path.dirname(os.path.abspath(__file__))
# Model, rules left out, their meaning, and the expected result.
ROWS = [
    ("blobs", [], "every rule", "safe"),
    ("blobs", ["NO_NEW_KEYS"], "keys are reused", "unsafe"),
    ("blobs", ["NO_HOLD"], "objects in progress may be swept", "unsafe"),
    ("blobs", ["NO_FENCE"], "a writer declared gone can still name objects", "unsafe"),
    ("blobs", ["NO_RETIRING_FIRST"], "names are read before the writer is declared gone", "unsafe"),
    ("blobs", ["NO_ANSWER"], "named without the store's answer", "unsafe"),
    ("blobs", ["NO_CHECK"], "recorded without holding the name", "unsafe"),
    ("blobs", ["NO_COMMIT_FIRST"], "deleted before the name is gone for good", "unsafe"),
    ("blobs", ["NO_SECOND_STATEMENT", "NO_BELT"], "marked for deletion in one statement, no foreign key", "unsafe"),
    # Either of the two is enough.
    ("blobs", ["NO_SECOND_STATEMENT"], "marked for deletion in one statement, with a foreign key", "safe"),
    ("blobs", ["NO_BELT"], "marked for deletion in two statements, no foreign key", "safe"),
    ("claims", [], "every rule", "safe"),
    ("claims", ["NO_FENCE"], "recorded without checking who holds the part", "unsafe"),
    ("claims", ["NO_FENCE_INSIDE"], "checked before the transaction that records", "unsafe"),
    ("claims", ["NO_NEW_TOKEN"], "a worker claims again with its old token", "unsafe"),
    ("claims", ["NO_SINGLE_TRANSACTION"], "the cursor moves in a separate transaction", "unsafe"),
    ("claims", ["NO_CURSOR"], "restarted instead of resumed at the cursor", "unsafe"),
]


@pytest.mark.parametrize("number", [check(n, f"{row[0]}: {row[2]}") for n, row in enumerate(ROWS, 1)])
def test_protocol(number, request, tmp_path, record_property):
    model, left_out, _, expected = ROWS[number - 1]
    quick = request.config.option.quick
    defines = [f"-D{name}" for name in left_out] + [f"-DLAST={2 if quick else 3}"]
    source = os.path.join(HERE, model + ".pml")
    steps = [
        ["spin", *defines, "-a", source],
        ["gcc", "-O0" if quick else "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=4000", "-o", "pan", "pan.c"],
        # Waiting forever is no error here, because a process that is never scheduled again blocks others.
        ["./pan", "-E", "-m200000"],
    ]
    for step in steps:
        done = subprocess.run(step, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(step)} failed:\n{done.stdout}{done.stderr}"
    errors = int(re.search(r"errors: (\d+)", done.stdout)[1])
    assert errors or "Search not completed" not in done.stdout, done.stdout
    states = int(re.search(r"(\d+) states, stored", done.stdout)[1])
    record_property("counted", f"{states:,} states")
    assert ("unsafe" if errors else "safe") == expected
