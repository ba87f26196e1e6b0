"""Files of learnt parsers: hostile, altered and cut ones are refused with a clear fault."""

import io
import json
import zipfile
from typing import Any

import numpy as np
import pytest

from lib.files.model_file import MOST_BYTES, NotAnArtefact
from lib.nlu.parser import LearntParser, Weights

NOOP, SAY = '{"dialogue_type":"NOOP"}', '{"action_type":"SAY","say_span":"#"}'


def _weights(**changed: Any) -> Weights:
    arrays = {
        "word_idf": np.ones(2, np.float32),
        "character_idf": np.ones(1, np.float32),
        "skeleton_weights": np.zeros((3, 2), np.float16),
        "skeleton_bias": np.zeros(2, np.float32),
        "hole_weights": np.zeros((1, 1), np.float16),
        "hole_bias": np.zeros(1, np.float32),
    }
    usual = {
        "words": ["a", "b"],
        "characters": [" a"],
        "surroundings": ["0=a"],
        "skeletons": [NOOP, SAY],
        "kinds": ["say_span"],
        "certainty": [0.0] * 5,
    }
    return Weights(**{**usual, "arrays": {**arrays, **changed.pop("arrays", {})}, **changed})


def _zipped(**members: bytes) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in members.items():
            file.writestr(name.replace("__", "."), part)
    return whole.getvalue()


def _array(header: dict[str, Any]) -> bytes:
    part = io.BytesIO()
    np.lib.format.write_array_header_1_0(part, header)
    return part.getvalue()


def _pickled() -> bytes:
    part = io.BytesIO()
    np.save(part, np.array([{}], dtype=object), allow_pickle=True)
    return part.getvalue()


def test_an_artefact_is_read_as_it_was_written() -> None:
    artefact = _weights().to_bytes()
    assert Weights.of(artefact).to_bytes() == artefact
    assert LearntParser.of(artefact).parse("a b").form == {"dialogue_type": "NOOP"}


META = json.dumps({"format": "crosswalk-nlu-1"}).encode()
FILES = {
    "nothing": b"",
    "no zip": b"PK\x03\x04 and no more",
    "a pickle": b"\x80\x04N.",
    "no description": _zipped(word_idf__npy=b""),
    "another format": _zipped(meta__json=b'{"format": "other"}'),
    "a description that is no JSON": _zipped(meta__json=b"{"),
    "a description nested too deeply": _zipped(meta__json=b"[" * 100_000),
    "a pickle as an array": _zipped(meta__json=META, word_idf__npy=_pickled()),
    "a petabyte in a header": _zipped(
        meta__json=META, a__npy=_array({"descr": "<f4", "fortran_order": False, "shape": (10**15,)})
    ),
    "a negative length": _zipped(
        meta__json=META, a__npy=_array({"descr": "<f4", "fortran_order": False, "shape": (-1, 0)})
    ),
    "more when unpacked than is allowed": _zipped(meta__json=META, a__npy=bytes(MOST_BYTES + 1)),
    "too many members": _zipped(**{f"part{number}": b"" for number in range(20)}),
    "too few members": _zipped(meta__json=META),
}


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_files_that_are_no_artefact_are_refused(file: bytes) -> None:
    with pytest.raises(NotAnArtefact):
        LearntParser.of(file)


@pytest.mark.parametrize(
    "changed",
    [
        {"words": ["a"]},
        {"words": ["a", "a"]},
        {"words": ["a", 1]},
        {"skeletons": [NOOP, "{"]},
        {"skeletons": [NOOP, "[]"]},
        {"skeletons": [NOOP, '{"a":' * 2000 + "1" + "}" * 2000]},
        {"kinds": ["other"]},
        {"certainty": [0.0]},
        {"certainty": [0.0, 0.0, 0.0, 0.0, float("inf")]},
        {"arrays": {"skeleton_bias": np.array([np.nan, 0], np.float32)}},
        {"arrays": {"skeleton_bias": np.zeros(2, np.float64)}},
        {"arrays": {"skeleton_bias": np.zeros((2, 1), np.float32)}},
        {"arrays": {"another": np.zeros(1, np.float32)}},
    ],
)
def test_parts_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(NotAnArtefact):
        LearntParser.of(_weights(**changed).to_bytes())


def test_one_altered_byte_of_the_numbers_is_noticed() -> None:
    artefact = bytearray(_weights(arrays={"word_idf": np.array([0.1234, 1], np.float32)}).to_bytes())
    artefact[artefact.index(np.float32(0.1234).tobytes())] ^= 1
    with pytest.raises(NotAnArtefact):
        Weights.of(bytes(artefact))


@pytest.mark.parametrize("text", ["", "   ", "word " * 400, "\0", "’’ ''", "ｂｕｉｌｄ"])
def test_any_text_gives_a_whole_form(text: str) -> None:
    parse = LearntParser.of(_weights().to_bytes()).parse(text)
    assert parse.form == {"dialogue_type": "NOOP"}
    assert 0 <= parse.score <= 1
