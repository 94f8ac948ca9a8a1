"""The list of checks. A function registers itself with its number and name."""

CHECKS = {}


def check(number, name, seconds=0, upload_limit=None):
    """Registers a check. It gets `world`, and fails with an AssertionError.

    `seconds` is the minimum duration because of the check's own pauses."""

    def register(function):
        assert number not in CHECKS, number
        CHECKS[number] = (name, function, seconds)
        return function

    return register
