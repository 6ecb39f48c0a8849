"""Arguments as the shared library takes them: JSON, whole numbers, paths. Mistakes are told by name."""
from __future__ import annotations

import json
import math
import numbers
import operator
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ._errors import InputError

_LARGEST = 2**31 - 1  # an int of the library


def as_json(value: Any) -> str:
    """Raises InputError with everything in it that JSON has no place for."""
    wrong: list[tuple[str, str]] = []
    plain = _plain(value, "", wrong)
    _refuse(wrong)
    return json.dumps(plain)


def setting_pairs(set: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    if set is None:
        return []
    if not isinstance(set, Mapping):
        raise TypeError(f"set: expected a mapping of paths to values, got {_short(set)}")
    wrong: list[tuple[str, str]] = []
    pairs = []
    for path, value in set.items():
        if _is_key(path, "", wrong, "a path of `set`"):
            pairs.append((path, json.dumps(_plain(value, "/" + path.replace(".", "/"), wrong))))
    _refuse(wrong)
    return pairs


def _refuse(wrong: list[tuple[str, str]]) -> None:
    if wrong:
        lines = [f"{pointer}: {message}" if pointer else message for pointer, message in wrong]
        raise InputError("\n".join(lines), [("", 0, 0, pointer, message) for pointer, message in wrong])


def _plain(value: Any, pointer: str, wrong: list[tuple[str, str]]) -> Any:
    """The value made of what JSON has; numpy's numbers and arrays, and paths, are translated."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not _is_unicode(value):
            wrong.append((pointer, f"{_short(value)} is not valid Unicode: it contains a lone surrogate"))
        return value
    if isinstance(value, numbers.Real) and not _fits(value):
        wrong.append((pointer, f"the number is too large; expected one of at most {sys.float_info.max:.2g}"))
        return None
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            wrong.append((pointer, f"{float(value)} is not a JSON number; expected a finite number"))
        return float(value)
    if isinstance(value, Mapping):
        return {key: _plain(each, f"{pointer}/{_step(key)}", wrong) for key, each in value.items() if _is_key(key, pointer, wrong)}
    if isinstance(value, (list, tuple)):
        return [_plain(each, f"{pointer}/{i}", wrong) for i, each in enumerate(value)]
    if isinstance(value, os.PathLike):
        return _plain(os.fsdecode(value), pointer, wrong)
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), pointer, wrong)
    wrong.append((pointer, f"{_short(value)} has no form in JSON; expected text, a number, true, false, None, a list or a dict"))
    return None


def _is_key(key: Any, pointer: str, wrong: list[tuple[str, str]], kind: str = "a key") -> bool:
    if isinstance(key, str) and _is_unicode(key):
        return True
    wrong.append((pointer, f"{kind} must be {'valid Unicode' if isinstance(key, str) else 'text'}, got {_short(key)}"))
    return False


def _is_unicode(text: str) -> bool:
    """Python's strings may contain halves of surrogate pairs, which no file and no other language takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fits(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _step(key: Any) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python writes no integers of more than 4,300 digits
        text = "a value"
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected text, got {_short(value)}")
    if not _is_unicode(value):
        _refuse([("", f"{name}: {_short(value)} is not valid Unicode: it contains a lone surrogate")])
    return value


def whole(name: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, got {_short(value)}") from None
    if abs(number) > _LARGEST:
        _refuse([("", f"{name}: the number is out of range; expected one of at most {_LARGEST}")])
    return number


def number(name: str, value: Any) -> float:
    if isinstance(value, str) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}: expected a number, got {_short(value)}")
    if not _fits(value):
        _refuse([("", f"{name}: the number is too large; expected one of at most {sys.float_info.max:.2g}")])
    return float(value)


def path_of(name: str, value: Any) -> str:
    try:
        path = os.fsdecode(value)
    except TypeError:
        kinds = "a path, a dict or a loaded Scenario" if name == "scenario" else "a path"
        raise TypeError(f"{name}: expected {kinds}, got {_short(value)}") from None
    try:
        is_path = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        _refuse([("", f"{name}: no file can be named {_short(path)}: a path has no NUL and no lone surrogate")])
    return path


def teller(progress: bool | Callable[[float], None]) -> Callable[[float], None] | None:
    """What is told of progress; None: nobody."""
    if progress is True:
        return _Line()
    if not progress:
        return None
    if not callable(progress):
        raise TypeError(f"progress: expected True, False or a function, got {_short(progress)}")
    return progress


class _Line:
    """Percent on standard error, written again where it changes."""

    def __init__(self) -> None:
        self._shown = ""

    def __call__(self, part: float) -> None:
        text = f"{100 * part:5.1f} %"
        if text != self._shown:
            print("\r" + text, end="\n" if part >= 1 else "", file=sys.stderr, flush=True)
            self._shown = text
