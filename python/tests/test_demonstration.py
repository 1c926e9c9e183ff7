"""The second act of ``make demo`` as a reader runs it, for a short time.

What it measures is the machine's; what is tested adds up on any.
"""

from __future__ import annotations

import os
import pathlib
import pty
import re
import signal
import subprocess
import sys

import pytest

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "python-sqlalchemy"
RULES = EXAMPLE.parent / "burst" / "sqlthrottle.yml"
COLUMNS = 100
# Whatever says of the test's own terminal what there is not here.
TERMINALS = {"FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS", "LINES"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-B", str(EXAMPLE / "burst.py"), *arguments]


def environment(**variables: str) -> dict[str, str]:
    return {**{name: value for name, value in os.environ.items() if name not in TERMINALS}, **variables}


def run(seconds: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        env=environment(BURST_SECONDS=seconds),
        cwd=EXAMPLE.parents[1],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


@pytest.fixture(scope="module")
def text() -> str:
    """What two runs of two seconds print."""
    done = run("2")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def rows(text: str, name: str) -> list[tuple[int, int]]:
    """The two values of the rows of a name, in order."""
    cells = [[cell.strip() for cell in re.split("[│┆]", line)] for line in text.splitlines()]
    return [(int(row[2]), int(row[3])) for row in cells if len(row) == 5 and row[1] == name]


def test_the_rules_refuse_reports_and_nothing_else(text: str) -> None:
    fingerprint = re.findall(r"fingerprint +([0-9a-f]{64})$", text, re.MULTILINE)
    assert len(fingerprint) == 1 and fingerprint[0][:12] in RULES.read_text("utf-8"), "the rules do not name the report"
    shown = re.findall(r"^ +(sqlthrottle\.sqlalchemy\..*)$", text, re.MULTILINE)
    assert len(shown) == 1 and f"    {shown[0]}\n" in (EXAMPLE / "burst.py").read_text("utf-8"), "not what is run"

    sent = [rows(text, f"{kind}: sent") for kind in ("point selects", "small writes", "reports")]
    assert all(len(row) == 1 and min(row[0]) > 0 for row in sent), text
    (*innocent, (unprotected, protected)) = rows(text, "refused")
    assert innocent == [(0, 0), (0, 0)], text
    assert unprotected == 0 and 1 <= protected <= sent[2][0][1], text
    assert f"The first refusal: abort by threshold:{fingerprint[0][:12]}, reason over_limit, count " in text, text
    assert re.search(r"answered\nwithin [0-9.]+ m?s unprotected, [0-9.]+ m?s protected\.\n", text), text


def test_what_is_no_terminal_gets_plain_lines_that_fit(text: str) -> None:
    assert not re.search(r"[^\n -~│┆┌─┬┐╞═╪╡└┴┘┤▖▗▘▙▚▛▜▝▞▟▀▄▌▐█]", text), ascii(text)
    assert max(map(len, text.splitlines())) <= COLUMNS, text
    # A line a second, of two runs of two seconds.
    assert len(re.findall(r"^ +[0-9.]+ s  (?:calm|burst) ", text, re.MULTILINE)) <= 2 * 2, text
    for name in ("reports run", "innocent answered"):
        assert re.search(f"{name} a second, unprotected +{name} a second, protected", text), text


def test_what_is_not_understood_is_said() -> None:
    length = run("soon")
    assert (length.returncode, length.stderr) == (1, "BURST_SECONDS is soon; it is a number from 2 to 20\n")

    rules = run("2", "no-such-file.yml")
    assert rules.returncode == 1 and re.fullmatch(r"\S*no-such-file\.yml: [^\n]+\n", rules.stderr), rules.stderr


def test_a_terminal_has_a_progress_bar_and_an_interrupt_leaves_nothing_behind(tmp_path: pathlib.Path) -> None:
    reader, writer = pty.openpty()
    variables = environment(BURST_SECONDS="20", TERM="xterm", TMPDIR=str(tmp_path))
    with subprocess.Popen(command(), env=variables, stdout=writer, stderr=subprocess.PIPE) as demonstration:
        os.close(writer)
        with os.fdopen(reader, "rb", buffering=0) as terminal:
            shown = b""
            while b" s  calm " not in shown or "━".encode() not in shown:
                shown += terminal.read(1 << 16)
            assert any(tmp_path.iterdir()), "the database is elsewhere"
            demonstration.send_signal(signal.SIGINT)
            # The rest, so that it is never held up by a terminal that nobody reads. Linux ends one with an error.
            try:
                while part := terminal.read(1 << 16):
                    shown += part
            except OSError:
                pass
        assert demonstration.wait(timeout=60) == 130
        assert demonstration.stderr is not None and demonstration.stderr.read() == b""
    hides, shows = shown.rfind(b"\x1b[?25l"), shown.rfind(b"\x1b[?25h")
    assert 0 <= hides < shows, "the cursor stays hidden"
    assert not any(tmp_path.iterdir()), "the database is left behind"
    assert b"Run 2 of 2" not in shown
