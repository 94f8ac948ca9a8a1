"""The list of checks: a function registers itself with its number and name."""

CHECKS = {}


def check(number, name, seconds=0, upload_limit=None):
    """Registers a check. It gets `world`, and fails by an AssertionError.

    `seconds` is what it needs at least, by the pauses that it waits for."""

    def register(function):
        assert number not in CHECKS, number
        CHECKS[number] = (name, function, seconds)
        return function

    return register
