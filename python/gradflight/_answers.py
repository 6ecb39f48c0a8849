"""Answers as objects: what `gradflight ... --json` prints, as dicts, lists and DataFrames (where pandas is there)."""
from __future__ import annotations

import html
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any


def _frame(rows: Any):
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("tables need pandas (Debian: python3-pandas)") from missing
    return pandas.json_normalize(rows)


class Answer(Mapping):
    """A JSON object: `answer["key"]`, `answer["closed_form.relative_error"]`, `answer["links.0.name"]`."""

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
        if name in self.data:
            return self.data[name]
        at: Any = self.data
        for part in name.split("."):
            try:
                at = at[int(part)] if isinstance(at, list) else at[part]
            except (KeyError, IndexError, TypeError, ValueError):
                raise KeyError(name) from None
        return at

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class Result(Answer):
    """A simulated scenario. docs/result-reference.md names every key with its unit."""

    def __init__(self, inside):
        super().__init__(inside.json)
        self._inside = inside

    @property
    def time_s(self) -> float:
        """Seconds of the whole run."""
        return self._inside.time_s

    @property
    def iteration_time_s(self) -> float:
        """Seconds of a step, in steady state."""
        return self._inside.iteration_time_s

    @property
    def summary(self) -> str:
        """What `gradflight run` prints."""
        return self._inside.summary

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
        import pandas

        return pandas.Series(self[of], name=of, dtype=float)

    def __repr__(self) -> str:
        return f"<gradflight.Result of {self['scenario']!r}: a step takes {self.iteration_time_s:.6g} s>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary)}</pre>"


class Comparison(Answer):
    """Scenarios side by side."""

    def frame(self):
        """A row for each quantity, a column for each scenario."""
        import pandas

        rows = self["rows"]
        frame = pandas.DataFrame([row["values"] for row in rows], columns=self["columns"])
        frame.index = pandas.Index([row["quantity"] for row in rows], name="quantity")
        return frame


class Scaling(Answer):
    """One scenario at several scales."""

    @property
    def stops_at(self) -> int | None:
        """The fewest ranks with an efficiency below the threshold."""
        return self["stops_scaling_at"]

    def frame(self):
        """A row for each value."""
        return _frame(self["points"])


class Advice(Answer):
    """What bounds a step, and what would help most."""

    def frame(self):
        """A row for each change that was tried, the best first."""
        return _frame(self["what_if"])


class CollectiveTable(Answer):
    """nccl-tests' table: times in microseconds, bandwidths in GB/s."""

    def frame(self):
        """A row for each size."""
        return _frame(self["rows"])


class Sweep:
    """What a sweep's directory holds now."""

    def __init__(self, inside):
        self.points: int = inside.points
        self.missing: int = inside.missing
        self.failed: int = inside.failed
        self.csv: str = inside.csv

    def frame(self):
        """The merged table: a row for each point, columns for axes and results."""
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("tables need pandas (Debian: python3-pandas)") from missing
        return pandas.read_csv(io.StringIO(self.csv))

    def to_frame(self):
        """The same as frame()."""
        return self.frame()

    def __repr__(self) -> str:
        return f"<gradflight.Sweep: {self.points} points, {self.missing} missing, {self.failed} not ok>"
