"""How long does a training step take on this cluster, with this exchange schedule, and why?

    import gradflight as gf

    result = gf.run("scenario.json", {"platform.nodes": 16})
    result.iteration_time_s, result["closed_form.relative_error"]
    result.frame("links")                      # a pandas.DataFrame

A scenario is a path, a dict (what the file would hold), or what `load` gave. Settings are {path: value}, as --set takes
them. Times are seconds, sizes bytes, unless a name says otherwise. What goes wrong is an InputError with all mistakes,
a SimulationError, or an OutputError. Simulations let other Python threads run.
"""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from . import _gradflight
from ._answers import Advice, Answer, CollectiveTable, Comparison, Result, Scaling, Sweep
from ._errors import InputError, Mistake, OutputError, SimulationError

__version__: str = _gradflight.version()
__all__ = [
    "Advice", "Answer", "CollectiveTable", "Comparison", "InputError", "Mistake", "OutputError", "Result", "Scaling", "Scenario",
    "SimulationError", "Sweep", "advise", "collective", "compare", "load", "run", "scale", "sweep",
]

Settings = Mapping[str, Any]


class Scenario:
    """A scenario without mistakes, with everything that it names."""

    def __init__(self, inside):
        self._inside = inside

    @property
    def name(self) -> str:
        return self._inside.name

    def to_dict(self) -> dict[str, Any]:
        """The scenario with every default explicit and its files read in."""
        return json.loads(self._inside.json)

    def __repr__(self) -> str:
        return f"<gradflight.Scenario {self.name!r}>"


Source = Union[str, "os.PathLike[str]", Mapping[str, Any], Scenario]


def _literal(value: Any) -> str:
    return json.dumps(value, default=str)


def _pairs(settings: Settings | None) -> list[tuple[str, str]]:
    return [(path, _literal(value)) for path, value in (settings or {}).items()]


def load(scenario: Source, settings: Settings | None = None, *, directory: str | os.PathLike[str] = "") -> Scenario:
    """Looks for mistakes: raises InputError with all of them. `directory`: where a dict's files are looked for."""
    if isinstance(scenario, Scenario):
        if settings:
            raise TypeError("a Scenario that was loaded takes no settings: give them to load()")
        return scenario
    if isinstance(scenario, Mapping):
        return Scenario(_gradflight.parse(json.dumps(scenario, default=str), _pairs(settings), directory))
    return Scenario(_gradflight.load(scenario, _pairs(settings)))


def run(scenario: Source, settings: Settings | None = None) -> Result:
    """Simulates a scenario."""
    return Result(_gradflight.run(load(scenario, settings)._inside))


def compare(scenarios: Iterable[Source], *, jobs: int = 1) -> Comparison:
    """Scenarios side by side, of one job each. `jobs`: simulations at a time."""
    return Comparison(_gradflight.compare([load(each)._inside for each in scenarios], jobs))


def scale(scenario: Source, path: str, values: Sequence[Any], settings: Settings | None = None, *, threshold: float = 0.5,
          strong: bool = False, jobs: int = 1) -> Scaling:
    """The scenario with each of `values` at `path`: where efficiency falls below `threshold`.

    `strong`: the same samples a step in all, not on each rank (needs workload.batch)."""
    inside = load(scenario, settings)._inside
    # As `scale --over` takes them: the answer names them as they were given.
    given = [value if isinstance(value, str) else _literal(value) for value in values]
    return Scaling(_gradflight.scale(inside, path, given, threshold, strong, jobs))


def advise(scenario: Source, settings: Settings | None = None, *, budget_s: float = 30, jobs: int = 1) -> Advice:
    """What bounds a step, and what would help most: tries changes for `budget_s` seconds of the clock."""
    return Advice(_gradflight.advise(load(scenario, settings)._inside, budget_s, jobs))


def collective(operation: str, platform: str | os.PathLike[str], settings: Settings | None = None, *, ranks: int = 0, nodes: int = 0,
               gpus_per_node: int = 0, begin: float = 8, end: float = 4294967296, factor: float = 2, sizes: Sequence[float] = (),
               element_size: int = 4, algorithm: str = "", protocol: str = "", channels: int = 0) -> CollectiveTable:
    """nccl-tests' table of an operation ("all_reduce", "all_gather", ...) on a machine of the catalogue or a platform file.

    0 and "": the platform's, or the library's choice. `sizes` in bytes take the place of begin, end and factor."""
    return CollectiveTable(_gradflight.collective(operation, os.fspath(platform), _pairs(settings), ranks, nodes, gpus_per_node, begin, end,
                                                  factor, list(sizes), element_size, algorithm, protocol, channels))


def sweep(file: str | os.PathLike[str], directory: str | os.PathLike[str], *, jobs: int = 0, retry: bool = False,
          progress: bool | Callable[[float], None] = False) -> Sweep:
    """Runs what `directory` does not hold yet of a sweep file; what it holds stays, so a call that was cut short goes on.

    `jobs`: points at a time, 0: as many as there are cores. `progress`: True for a line on standard error, which a notebook
    shows below its cell, or a function that is told parts from 0 to 1."""
    tell = _print_part if progress is True else progress or None
    return Sweep(_gradflight.sweep(file, directory, jobs, retry, tell))


def _print_part(part: float) -> None:
    print(f"\r{100 * part:5.1f} %", end="\n" if part >= 1 else "", file=sys.stderr, flush=True)
