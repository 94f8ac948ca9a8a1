"""SIGKILL at every call of an import of 20 small files that changes a file."""

from kill_attach_calls import kill_calls


def run(work):
    yield kill_calls(work, "kill-import-calls", ("import",), quick=3)
