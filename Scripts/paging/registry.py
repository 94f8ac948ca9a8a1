"""The list of checks. A function registers itself by its name, with a sentence."""

CHECKS = {}


def check(sentence, seconds=0):
    """Registers a check. It gets `world`, and fails with an AssertionError.

    `seconds` is the minimum duration because of the check's own pauses."""

    def register(function):
        name = function.__name__.replace("_", "-")
        assert name not in CHECKS, name
        CHECKS[name] = (sentence, function, seconds)
        return function

    return register
