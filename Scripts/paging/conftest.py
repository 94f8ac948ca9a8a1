"""Where pictures of the pages go."""


def pytest_addoption(parser):
    parser.getgroup("pages").addoption(
        "--screens", metavar="DIR", help="pictures of every page and state, and of what has failed"
    )
