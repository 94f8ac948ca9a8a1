"""The option for pictures of the pages."""


def pytest_addoption(parser):
    parser.getgroup("pages").addoption(
        "--screens", metavar="DIR", help="save pictures of every page and state, and of failed checks"
    )
