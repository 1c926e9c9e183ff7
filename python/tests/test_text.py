"""Any text is a statement: none raises, none is cut off, and none is taken for another."""

from __future__ import annotations

import sys

import pytest

from sqlthrottle import Throttle


def test_halves_of_a_surrogate_pair_become_the_replacement_character() -> None:
    throttle = Throttle()
    for text in ("\ud800", "\udfff", "\udcff a \ud800", "\ud83d\ude00"):
        replaced = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
        assert throttle.normalize(f"select {text} from t") == throttle.normalize(f"select {replaced} from t")
        assert throttle.check(f"select {text} from t").fingerprint == throttle.check(f"select {replaced} from t").fingerprint
    assert throttle.normalize("select ퟿￼ from t") == "select ퟿￼ from t", "neighbours of the halves stay"


def test_nul_is_a_byte_like_others() -> None:
    throttle = Throttle()
    assert throttle.fingerprint("select a\0b from t") != throttle.fingerprint("select a")
    assert throttle.normalize("select 'a\0b'") == "select ?"
    keyed = Throttle("rules: [{name: u, per: [user], limit: {concurrency: {max: 1}}}]")
    assert keyed.check("select 1", user="a\0b").allowed and not keyed.check("select 1", user="a\0b").allowed
    assert keyed.check("select 1", user="a").allowed and keyed.check("select 1", user="a\0c").allowed


def test_every_width_of_character_is_read() -> None:
    throttle = Throttle()
    for character in ("e", "é", "€", "😀"):
        assert throttle.normalize(f"select {character}") == f"select {character}"
        assert throttle.fingerprint(f"select {character}") == throttle.fingerprint(f"select {character}".encode())


def test_bytes_that_are_no_utf8_are_read() -> None:
    throttle = Throttle()
    assert throttle.check(b"select \xff from t").fingerprint != throttle.check(b"select \xfe from t").fingerprint
    assert throttle.normalize(b"select \xff") == "select \ufffd"
    assert throttle._normalize_bytes(b"select \xff") == b"select \xff"


def test_empty_and_subclassed_texts_are_read() -> None:
    class Text(str):
        def encode(self, *_: object) -> bytes:  # type: ignore[override]
            raise AssertionError("what it is counts, not what it says")

    throttle = Throttle()
    assert throttle.check("").allowed and throttle.check(b"").allowed
    assert throttle.fingerprint(Text("select 1")) == throttle.fingerprint("select 2")


@pytest.mark.parametrize("unit", ["(", "1,", "é", "/*", "case when ", "\ud800"])
def test_huge_texts_are_answered(unit: str) -> None:
    throttle = Throttle("default_threshold: 1")
    text = "select " + unit * (4_000_000 // len(unit))
    assert throttle.check(text).allowed
    assert not throttle.check(text).allowed


def test_texts_are_not_kept(clock: object) -> None:
    throttle = Throttle()
    text = "select " + "x" * 100
    before = sys.getrefcount(text)
    for _ in range(100):
        throttle.check(text, user=text, tags={text: text}, params=[text])
        throttle.prepare(text, user=text)
    assert sys.getrefcount(text) == before
