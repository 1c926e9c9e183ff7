"""A Python script that asks sqlthrottle by ctypes. It prints what ../expected.txt has.

For programs there is a package of its own; this shows what a language needs that can call C and nothing else.
"""

import ctypes
import ctypes.util
import os
import sys
import time
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

ABI_VERSION = 1
OK = 0
DELAY = 4
FAKES_ROWS = 1

RULES = b"""
rules:
  - {name: reports, match: {tables: reports}, limit: {fixed_window: {max: 1, window: 1d}}}
  - {name: feeds, match: {tables: feeds}, limit: {fixed_window: {max: 1, window: 1d}}, then: {strategy: ignore}}
  - {name: exports, match: {tables: exports}, limit: {concurrency: {max: 1}}}
  - {name: mails, match: {tables: mails}, limit: {fixed_window: {max: 1, window: 1d}}, then: {strategy: delay, delay: 10ms}}
"""


class Text(Structure):
    _fields_ = [("data", c_char_p), ("length", c_size_t)]


class Fingerprint(Structure):
    _fields_ = [("bytes", c_uint8 * 32), ("length", c_uint32)]


class Statement(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("sql", Text),
        ("context", c_void_p),
        ("parameters", POINTER(Text)),
        ("parameters_length", c_size_t),
        ("dialect", c_uint32),
        ("fakes", c_uint32),
        ("weight", c_uint32),
        ("flags", c_uint32),
    ]


class Decision(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("verdict", c_uint32),
        ("reason", c_uint32),
        ("observed", c_uint32),
        ("overflow", c_uint32),
        ("count", c_uint64),
        ("limit", c_uint64),
        ("retry_after_ns", c_uint64),
        ("delay_ns", c_uint64),
        ("ticket", c_uint64),
        ("permit", c_uint64),
        ("refill", c_void_p),
        ("fingerprint", Fingerprint),
        ("rule", c_char * 520),
        ("custom", c_char * 76),
    ]


def load():
    """The library, with what its functions take and return."""
    name = os.environ.get("SQLTHROTTLE_LIBRARY") or ctypes.util.find_library("sqlthrottle")
    if name is None:
        sys.exit("libsqlthrottle is not installed; SQLTHROTTLE_LIBRARY may say where it is")
    library = ctypes.CDLL(name)
    functions = {
        "abi_version": (c_uint32, []),
        "engine_from_rules": (c_int32, [c_char_p, c_size_t, c_void_p, POINTER(c_void_p)]),
        "engine_free": (None, [c_void_p]),
        "check_statement": (c_int32, [c_void_p, POINTER(Statement), POINTER(Decision)]),
        "resume": (c_int32, [c_void_p, c_uint64, c_uint32, POINTER(Decision)]),
        "reload": (c_int32, [c_void_p, c_char_p, c_size_t, POINTER(c_uint64)]),
        "release": (c_int32, [c_void_p, c_uint64]),
        "verdict_name": (c_char_p, [c_uint32]),
        "reason_name": (c_char_p, [c_uint32]),
        "last_error_message": (c_int32, [c_char_p, c_size_t, POINTER(c_size_t)]),
    }
    for function, (result, arguments) in functions.items():
        exported = getattr(library, f"sqlthrottle_{function}")
        exported.restype, exported.argtypes = result, arguments
    if library.sqlthrottle_abi_version() < ABI_VERSION:
        sys.exit("the library is older than the structs above")
    return library


LIBRARY = load()


class SqlThrottleError(Exception):
    """What the last call of this thread says of its failure."""

    def __init__(self):
        needed = c_size_t()
        LIBRARY.sqlthrottle_last_error_message(None, 0, byref(needed))
        buffer = ctypes.create_string_buffer(needed.value)
        LIBRARY.sqlthrottle_last_error_message(buffer, needed, None)
        super().__init__(buffer.value.decode())


class Throttle:
    """Decides which statements may be sent now. It may be used by any number of threads."""

    def __init__(self, rules):
        self.engine = c_void_p()
        if LIBRARY.sqlthrottle_engine_from_rules(rules, len(rules), None, byref(self.engine)) != OK:
            raise SqlThrottleError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIBRARY.sqlthrottle_engine_free(self.engine)

    def check(self, sql):
        """Decides on a statement whose empty result the caller can stand in for. What it allows is to be released."""
        text = sql.encode()
        statement = Statement(size=ctypes.sizeof(Statement), sql=Text(text, len(text)), fakes=FAKES_ROWS)
        decision = Decision(size=ctypes.sizeof(Decision))
        if LIBRARY.sqlthrottle_check_statement(self.engine, byref(statement), byref(decision)) != OK:
            raise SqlThrottleError
        return decision

    def wait(self, decision):
        """Waits as long as a decision says, and returns what is decided then."""
        while decision.verdict == DELAY:
            time.sleep(decision.delay_ns / 1e9)
            if LIBRARY.sqlthrottle_resume(self.engine, decision.ticket, 0, byref(decision)) != OK:
                raise SqlThrottleError
        return decision

    def reload(self, rules):
        """Puts other rules in force. Counts are kept, and statements that are being checked see one set or the other."""
        if LIBRARY.sqlthrottle_reload(self.engine, rules, len(rules), None) != OK:
            raise SqlThrottleError

    def release(self, decision):
        """Gives back what a statement held that has ended. To do so twice is harmless."""
        LIBRARY.sqlthrottle_release(self.engine, decision.permit)


def show(throttle, sql):
    decision = throttle.check(sql)
    describe(sql, decision)
    if decision.verdict == DELAY:
        describe("after the wait", throttle.wait(decision))
    return decision


def describe(what, decision):
    verdict = LIBRARY.sqlthrottle_verdict_name(decision.verdict).decode()
    reason = LIBRARY.sqlthrottle_reason_name(decision.reason).decode()
    print(f"{what}: {verdict}, {reason} {decision.rule.decode()}".rstrip())


def main():
    with Throttle(RULES) as throttle:
        for sql in (
            "select 1",
            "select * from reports where id = 1",
            "select * from reports where id = 2",
            "select * from feeds where id = 1",
            "select * from feeds where id = 2",
            "select * from mails where id = 1",
            "select * from mails where id = 2",
        ):
            throttle.release(show(throttle, sql))
        first = show(throttle, "select * from exports")
        show(throttle, "select * from exports")
        throttle.release(first)
        throttle.release(show(throttle, "select * from exports"))
        throttle.reload(RULES.replace(b"max: 1, window", b"max: 3, window", 1))
        throttle.release(show(throttle, "select * from reports where id = 3"))
    try:
        Throttle(b"rules: [{name: broken, limit: {concurrency: {max: 0}}}]")
    except SqlThrottleError as error:
        print(error)


if __name__ == "__main__":
    main()
