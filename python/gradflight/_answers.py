"""Answers as objects: what `gradflight ... --json` prints, as dicts, lists and DataFrames (where pandas is there)."""
from __future__ import annotations

import html
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any


def _pandas():
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("tables need pandas (Debian: python3-pandas)") from missing
    return pandas


def _frame(rows: Any):
    return _pandas().json_normalize(rows)


def _number(text: str) -> int | float | None:
    """The number that is written, as in JSON; None: it is something else."""
    try:
        value = json.loads(text, parse_constant=lambda name: None)
    except ValueError:
        return None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


_NOTHING = object()
_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"


def _find(at: Any, name: str, key: str = "") -> Any:
    """The value that `name` takes below `at`, which is the value of `key`; _NOTHING if it has none.

    A key or a name of an item may contain dots: the shortest one that leaves a valid rest counts, as in `expect`."""
    if isinstance(at, (dict, list)):
        ends = [i for i, letter in enumerate(name) if letter == "."] + [len(name)]
        for end in ends:
            part, rest = name[:end], name[end + 1:]
            inner = _item(at, part, key) if isinstance(at, list) else at.get(part, _NOTHING)
            found = inner if inner is _NOTHING or end == len(name) else _find(inner, rest, part)
            if found is not _NOTHING:
                return found
    return _NOTHING


def _item(items: list, part: str, key: str) -> Any:
    """The item of this name or number. `iterations` leaves out the middle of long runs, so each item has its number."""
    for item in items:
        if isinstance(item, dict) and item.get("name") == part:
            return item
    if not (part.isascii() and part.isdecimal()):
        return _NOTHING
    number = int(part)
    if key == "iterations":
        return next((item for item in items if isinstance(item, dict) and item.get("iteration") == number), _NOTHING)
    return items[number] if number < len(items) else _NOTHING


class Answer(Mapping):
    """A JSON object: `answer["key"]`, `answer["closed_form.relative_error"]`, `answer["links.node0.up.busy_s"]`.

    An item of a list has its number from 0 or its name, as in `expect`; an iteration has its own number."""

    def __init__(self, text: str):
        self._text = text
        self._data: dict[str, Any] | None = None

    @property
    def json(self) -> str:
        """The text that the command of this name prints with --json."""
        return self._text

    @property
    def data(self) -> dict[str, Any]:
        """All of it as dicts and lists."""
        if self._data is None:
            self._data = json.loads(self._text)
        return self._data

    def to_dict(self) -> dict[str, Any]:
        """All of it as dicts and lists, to be changed at will."""
        return json.loads(self._text)

    def frame(self):
        """The answer as a pandas.DataFrame."""
        raise NotImplementedError

    def to_frame(self, *of: str):
        """The same as frame()."""
        return self.frame(*of)

    def __getitem__(self, name: str) -> Any:
        found = _find(self.data, name) if isinstance(name, str) else _NOTHING
        if found is _NOTHING:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class Result(Answer):
    """A simulated scenario. docs/result-reference.md names every key with its unit."""

    def __init__(self, inside):
        super().__init__(inside.json)
        self._time_s, self._iteration_time_s, self._summary = inside.time_s, inside.iteration_time_s, inside.summary

    @property
    def time_s(self) -> float:
        """Seconds of the whole run."""
        return self._time_s

    @property
    def iteration_time_s(self) -> float:
        """Seconds of a step, in steady state."""
        return self._iteration_time_s

    @property
    def summary(self) -> str:
        """What `gradflight run` prints."""
        return self._summary

    def frame(self, name: str = "iterations"):
        """A list of the result as a DataFrame: "iterations", "links", "jobs", "bottlenecks", "bound_by", ..."""
        lists = [key for key, value in self.data.items() if isinstance(value, list)]
        try:
            rows = self[name]
        except KeyError:
            raise KeyError(f'"{name}" is no key. Lists: {", ".join(lists)}') from None
        if not isinstance(rows, list):
            raise TypeError(f'"{name}" is no list. Lists: {", ".join(lists)}')
        return _frame(rows)

    def breakdown(self, of: str = "iteration_breakdown"):
        """Seconds by part of the critical path, as a Series: of the last iteration, or of the "breakdown" of the run."""
        return _pandas().Series(self[of], name=of, dtype=float)

    def __repr__(self) -> str:
        return f"<gradflight.Result of {self['scenario']!r}: a step takes {self.iteration_time_s:.6g} s>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary)}</pre>"


class Comparison(Answer):
    """Scenarios side by side."""

    def frame(self):
        """A row for each quantity, a column for each scenario."""
        pandas = _pandas()
        rows = self["rows"]
        frame = pandas.DataFrame([row["values"] for row in rows], columns=self["columns"])
        frame.index = pandas.Index([row["quantity"] for row in rows], name="quantity")
        return frame

    def __repr__(self) -> str:
        return f"<gradflight.Comparison of {len(self['columns'])}: the best is {self['best']!r}>"


class Scaling(Answer):
    """One scenario at several scales."""

    @property
    def stops_at(self) -> int | None:
        """The fewest ranks with an efficiency below the threshold."""
        return self["stops_scaling_at"]

    def frame(self):
        """A row for each value. `value` has numbers if all values are numbers, and else the texts of the JSON."""
        points = self["points"]
        values = [_number(point["value"]) for point in points]
        if None not in values:
            points = [{**point, "value": value} for point, value in zip(points, values)]
        return _frame(points)

    def __repr__(self) -> str:
        end = "does not stop" if self.stops_at is None else f"stops at {self.stops_at} ranks"
        return f"<gradflight.Scaling over {self['path']}: {len(self['points'])} points, {end}>"


class Advice(Answer):
    """What bounds a step, and what would help most."""

    def frame(self):
        """A row for each change that was tried, the best first."""
        return _frame(self["what_if"])

    def __repr__(self) -> str:
        return f"<gradflight.Advice: {len(self['what_if'])} changes were tried>"


class CollectiveTable(Answer):
    """nccl-tests' table: times in microseconds, bandwidths in GB/s."""

    def frame(self):
        """A row for each size."""
        return _frame(self["rows"])

    def __repr__(self) -> str:
        return f"<gradflight.CollectiveTable of {self['op']} among {self['ranks']} ranks: {len(self['rows'])} sizes>"


class Sweep:
    """What a sweep's directory holds now."""

    def __init__(self, inside):
        self.points: int = inside.points
        self.missing: int = inside.missing
        self.failed: int = inside.failed
        self.csv: str = inside.csv

    def frame(self):
        """The merged table: a row for each point, columns for axes and results."""
        frame = _pandas().read_csv(io.StringIO(self.csv), dtype=str, keep_default_na=False)
        for name in frame.columns:
            cells = frame[name][frame[name] != ""]
            if name != "id" and cells.str.fullmatch(_NUMBER).all():  # texts such as NA and 007 stay texts
                frame[name] = _pandas().to_numeric(frame[name].where(frame[name] != ""))
            elif cells.isin(["true", "false"]).all() and len(cells) == len(frame):
                frame[name] = frame[name] == "true"
            else:
                frame[name] = frame[name].where(frame[name] != "")
        return frame

    def to_frame(self):
        """The same as frame()."""
        return self.frame()

    def __repr__(self) -> str:
        return f"<gradflight.Sweep: {self.points} points, {self.missing} missing, {self.failed} not ok>"
