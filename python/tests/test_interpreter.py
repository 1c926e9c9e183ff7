"""The interpreter: imports, signals, sub-interpreters, and what the module declares."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import inspect
import pathlib
import subprocess
import sys
import sysconfig
from collections.abc import Callable

import pytest

import sqlthrottle
from sqlthrottle import _native

ROOT = pathlib.Path(__file__).parents[2]
STUB = pathlib.Path(sqlthrottle.__file__).with_name("_native.pyi")


def test_the_version_is_the_workspaces() -> None:
    manifest = (ROOT / "Cargo.toml").read_text("utf-8")
    workspace = manifest.split("[workspace.package]")[1].split("\n[")[0]
    assert f'version = "{sqlthrottle.__version__}"' in workspace
    assert importlib.metadata.version("sqlthrottle") == sqlthrottle.__version__


def test_all_that_is_public_is_there_and_documented() -> None:
    for name in sqlthrottle.__all__:
        value = getattr(sqlthrottle, name)
        assert name == "__version__" or name == "ThresholdAnswer" or inspect.getdoc(value), name
    for name in dir(sqlthrottle.Throttle):
        if not name.startswith("_"):
            assert inspect.getdoc(getattr(sqlthrottle.Throttle, name)) or name in sqlthrottle.Throttle.__annotations__, name


def test_the_stub_says_what_the_module_does() -> None:
    """The same words: an editor reads those of the stub, and ``help`` those of the module."""
    compared = 0
    for node in ast.parse(STUB.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            assert inspect.getdoc(getattr(_native, node.name)) == ast.get_docstring(node), node.name
        if isinstance(node, ast.ClassDef):
            known = getattr(_native, node.name)
            assert inspect.getdoc(known) == ast.get_docstring(node), node.name
            for method in node.body:
                # Of the methods of the subclass, which is asked in their place, there are none here.
                if isinstance(method, ast.FunctionDef) and ast.get_docstring(method) and hasattr(known, method.name):
                    assert inspect.getdoc(getattr(known, method.name)) == ast.get_docstring(method), method.name
                    compared += 1
    assert compared > 40


def test_it_needs_no_gil(run: Callable[..., str]) -> None:
    """The slot of the module says so, which a build with a GIL passes over."""
    written = run("import sys, sqlthrottle; print(getattr(sys, '_is_gil_enabled', lambda: True)())")
    assert written.strip() == str(not sysconfig.get_config_var("Py_GIL_DISABLED"))


def test_another_interpreter_of_the_process_is_refused_clearly(run: Callable[..., str]) -> None:
    module = "_interpreters" if importlib.util.find_spec("_interpreters") else "_xxsubinterpreters"
    inner = """
import sys
sys.path[:] = {path!r}
try:
    import sqlthrottle
except ImportError as refused:
    print("refused:", refused, flush=True)
"""
    written = run(
        """
        import importlib, sys, sqlthrottle
        interpreters = importlib.import_module(sys.argv[1])
        other = interpreters.create()
        interpreters.run_string(other, sys.argv[2].format(path=sys.path))
        interpreters.destroy(other)
        assert sqlthrottle.Throttle().check("select 1").allowed
        """,
        module,
        inner,
    )
    assert written.startswith("refused:") and "interpreter" in written


@pytest.mark.skipif(not hasattr(__import__("signal"), "SIGALRM"), reason="this system has no such signal")
def test_a_signal_ends_a_wait_and_its_ticket_is_given_up(run: Callable[..., str]) -> None:
    written = run(
        """
        import signal, sqlthrottle
        throttle = sqlthrottle.Throttle("rules: [{name: slow, limit: {block: true}, then: {strategy: delay, delay: 1h}}]")
        def interrupt(*_):
            assert throttle.snapshot()["waiting"] == 1
            raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with throttle.guard("select 1"):
                raise AssertionError("it was sent")
        except KeyboardInterrupt:
            print("interrupted", throttle.snapshot()["waiting"])
        """
    )
    assert written == "interrupted 0\n"


class TestCommand:
    def test_it_is_that_of_the_workspace(self) -> None:
        for command in ([sys.executable, "-m", "sqlthrottle"], self.script()):
            done = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0 and done.stdout == f"sqlthrottle {sqlthrottle.__version__}\n", done
            done = subprocess.run(
                [*command, "fingerprint"], input="select 7;", capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 0 and sqlthrottle.Throttle().fingerprint("select 8")[:12] in done.stdout
            assert subprocess.run([*command, "nothing"], capture_output=True, timeout=60).returncode == 2

    def test_a_faulty_file_is_a_failure(self, tmp_path: pathlib.Path) -> None:
        (tmp_path / "rules.yml").write_text("default_threshold: none")
        command = [sys.executable, "-m", "sqlthrottle", "validate", str(tmp_path / "rules.yml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and "default_threshold" in done.stderr + done.stdout

    @staticmethod
    def script() -> list[str]:
        path = pathlib.Path(sysconfig.get_path("scripts"), "sqlthrottle" + sysconfig.get_config_var("EXE"))
        assert path.exists(), "it is installed beside the interpreter"
        return [str(path)]
