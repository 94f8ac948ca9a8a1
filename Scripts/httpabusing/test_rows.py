"""Runs the rows of `Scripts/http-abuse` as tests."""

import importlib

import pytest
from conftest import check
from httpabusing.conftest import rest
from rows import ROWS, Row, Skip

# Importing a module adds its rows to the table.
PARTS = "framing bodies addresses conditions forms owners repeats shortages ending resumable rufh changes shares spending photosizes texts flooding hugesizes searching mailing outages descriptors statements judging codes privacy"
for part in PARTS.split():
    importlib.import_module(part)


@pytest.mark.parametrize(
    "number", [check(number, row.title, slow=row.slow, root=row.root) for number, row in sorted(ROWS.items())]
)
def test_row(number, work, record_property):
    row, before = Row(ROWS[number], work), dict(work.server.faults)
    try:
        ROWS[number].function(row)
    except Skip as reason:
        if not row.faults:
            pytest.skip(str(reason))
    except Exception as error:  # any error here is the server's fault
        row.case(f"the row breaks off: {type(error).__name__} {error}", False)
    # Faults of the shared server's responses count for the row that caused them, once for each kind.
    for fault, count in work.server.faults.items():
        if count > before.get(fault, 0):
            row.faults.append(f"{fault} ({count - before.get(fault, 0)} times)")
    if not work.server.runs:
        row.faults.append(f"the server ended: {work.server.process.poll()}")
        work.server.start()
    note = f" · {row.note}" if row.note else ""
    record_property("counted", f"{max(0, row.tried - len(row.faults))} of {row.tried}{note}")
    if row.faults:
        pytest.fail("\n".join(fault[:300] for fault in row.faults[:12]), pytrace=False)


def test_behind_all_rows(work):
    """The server is running, with as much memory and as many files as before."""
    if faults := list(rest(work)):
        pytest.fail("\n".join(faults), pytrace=False)
