"""pytest: the database is as it was seeded before each test. Put the fixtures into conftest.py."""
import json
import subprocess

import pytest


@pytest.fixture(scope="session")
def resetter():
    words = ["bulkload", "seed", "reset", "-D", "app_test", "--serve"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        yield process  # Leaving the block closes its input, which ends it.


@pytest.fixture(autouse=True)
def seeded(resetter):
    resetter.stdin.write("reset\n")
    resetter.stdin.flush()
    line = resetter.stdout.readline()
    assert line, "bulkload has ended: see what it wrote to standard error"
    answer = json.loads(line)
    assert answer["ok"], answer["error"]


def test_that_changes_rows():
    pass  # Your test here.
