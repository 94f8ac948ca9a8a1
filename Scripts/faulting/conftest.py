"""The options of the board's classes."""

import os


def pytest_addoption(parser):
    group = parser.getgroup("faults")
    group.addoption("--scale", type=float, default=1, help="part of the full count, to try a class out")
    group.addoption("--folder", help="what `hostile` feeds, instead of mutated test images")


def pytest_configure(config):
    if config.option.folder:
        os.environ["FAULTS_FOLDER"] = os.path.abspath(config.option.folder)
