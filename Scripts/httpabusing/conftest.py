"""The server that all rows share, and the checks after the last row."""

import random
import resource

import pytest
from rows import ROWS, Row, Work
from serving import Server

MEMORY = 10 << 20  # the number of bytes by which the server's memory may have grown


@pytest.fixture(scope="session")
def work(request, binary, tmp_path_factory):
    """Yields the context of rows. `rest` fails if the server's memory and files aren't back to what they were."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    option = request.config.option
    folder = str(tmp_path_factory.mktemp("http-abuse"))
    work = Work(binary, folder, option.quick, random.Random(option.seed))
    with Server(work) as server:
        work.server = server
        warm = Row(next(iter(ROWS.values())), work)
        owner = warm.create()
        for _ in range(20):
            warm.upload(owner)
        # The server makes the link picture on its own.
        server.wait(lambda: not server.incoming(), 60)
        work.before = server.memory(), server.incoming()
        yield work


def rest(work):
    """Yields the faults that are left after all rows."""
    server, (memory, incoming) = work.server, work.before
    # Freed memory returns to the system with a delay. A debug build keeps a little more.
    allowed = MEMORY * 2 if work.quick else MEMORY
    if not server.wait(lambda: server.memory() < memory + allowed, 10):
        yield f"memory grew from {memory >> 20} to {server.memory() >> 20} MiB"
    if server.incoming() != incoming:
        yield f"incoming/ holds {server.incoming()}"
    if server.nameless():
        yield f"{server.nameless()} bodies are open"
    verified = server.petspot.run("verify", "--all")
    if verified.exit != 0:
        yield f"verify says {verified.output}"
    if (code := server.stop()) != 0:
        yield f"it ends with {code}"
