"""Options of the fault classes."""

import os


def pytest_addoption(parser):
    group = parser.getgroup("faults")
    group.addoption("--scale", type=float, default=1, help="factor for the full counts, to try out a class")
    group.addoption("--folder", help="files for `hostile`, instead of mutated test images")


def pytest_configure(config):
    if config.option.folder:
        os.environ["FAULTS_FOLDER"] = os.path.abspath(config.option.folder)
