"""The smoke suite uses the binary that `swift build` makes."""

import os

import pytest
from petspot import default_binary


@pytest.fixture(scope="session")
def binary(request):
    path = os.path.abspath(
        request.config.option.binary or os.environ.get("PETSPOT_BINARY") or default_binary("debug")
    )
    if not os.access(path, os.X_OK):
        pytest.exit(f"{path} is not built; run swift build first", 2)
    return path
