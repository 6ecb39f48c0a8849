"""How long does a training step take on this cluster, with this exchange schedule, and why?

    import gradflight as gf

    result = gf.run("scenario.json", {"platform.nodes": 16})
    result.iteration_time_s, result["closed_form.relative_error"]
    result.frame("links")                      # a pandas.DataFrame

A scenario is a path, a dict (what the file would hold), or what `load` gave. `set` holds changes, {path: value}, as --set
takes them; numbers and arrays may be numpy's. Times are seconds, sizes bytes, unless a name says otherwise. A call that
fails raises an InputError with all mistakes, a SimulationError, or an OutputError. Simulations let other Python threads
run, and Ctrl-C ends them.
"""
from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

from . import _gradflight
from ._answers import Advice, Answer, CollectiveTable, Comparison, Result, Scaling, Sweep
from ._arguments import as_json, number, path_of, setting_pairs, teller, text, whole
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

    def __reduce__(self):
        return _restored, (self._inside.json,)


def _restored(scenario: str) -> Scenario:
    """A Scenario from its JSON: how it is copied, and how it comes to another process."""
    return Scenario(_gradflight.parse(scenario, [], ""))


Source = Union[str, "os.PathLike[str]", Mapping[str, Any], Scenario]
Progress = Union[bool, Callable[[float], None]]


def load(scenario: Source, set: Settings | None = None, *, directory: str | os.PathLike[str] = "") -> Scenario:
    """Looks for mistakes: raises InputError with all of them. `directory`: where a dict's files are looked for."""
    if isinstance(scenario, Scenario):
        if set:
            raise TypeError("a Scenario that was loaded takes no changes: give them to load()")
        return scenario
    pairs = setting_pairs(set)
    if isinstance(scenario, Mapping):
        return Scenario(_gradflight.parse(as_json(scenario), pairs, path_of("directory", directory)))
    return Scenario(_gradflight.load(path_of("scenario", scenario), pairs))


def run(scenario: Source, set: Settings | None = None) -> Result:
    """Simulates a scenario."""
    return Result(_gradflight.run(load(scenario, set)._inside))


def compare(scenarios: Iterable[Source], *, jobs: int = 1, progress: Progress = False) -> Comparison:
    """Compares scenarios that have one job each. `jobs`: simulations at a time. `progress`: see sweep()."""
    if isinstance(scenarios, (str, os.PathLike, Mapping, Scenario)):
        raise TypeError("compare takes a list of scenarios")
    return Comparison(_gradflight.compare([load(each)._inside for each in scenarios], whole("jobs", jobs), teller(progress)))


def scale(scenario: Source, path: str, values: Sequence[Any], set: Settings | None = None, *, threshold: float = 0.5,
          strong: bool = False, jobs: int = 1, progress: Progress = False) -> Scaling:
    """The scenario with each of `values` at `path`: where efficiency falls below `threshold`. `progress`: see sweep().

    `strong`: the same samples a step in all, not on each rank (needs workload.batch)."""
    inside = load(scenario, set)._inside
    # As `scale --over` takes them: the answer names them as they were given.
    given = [text("values", value) if isinstance(value, str) else as_json(value) for value in values]
    return Scaling(_gradflight.scale(inside, text("path", path), given, number("threshold", threshold), bool(strong), whole("jobs", jobs),
                                     teller(progress)))


def advise(scenario: Source, set: Settings | None = None, *, budget_s: float = 30, jobs: int = 1, progress: Progress = False) -> Advice:
    """What bounds a step, and what would help most: tries changes for `budget_s` seconds of the clock. `progress`: see sweep()."""
    return Advice(_gradflight.advise(load(scenario, set)._inside, number("budget_s", budget_s), whole("jobs", jobs), teller(progress)))


def collective(operation: str, platform: str | os.PathLike[str], set: Settings | None = None, *, ranks: int = 0, nodes: int = 0,
               gpus_per_node: int = 0, begin: float = 8, end: float = 4294967296, factor: float = 2, sizes: Sequence[float] = (),
               element_size: int = 4, algorithm: str = "", protocol: str = "", channels: int = 0) -> CollectiveTable:
    """nccl-tests' table of an operation ("all_reduce", "all_gather", ...) on a machine of the catalogue or a platform file.

    0 and "": the platform's, or the library's choice. `sizes` in bytes take the place of begin, end and factor."""
    # On the main thread, where Python handles Ctrl-C, in a child process; on others such calls run side by side.
    interruptible = threading.current_thread() is threading.main_thread()
    return CollectiveTable(_gradflight.collective(
        text("operation", operation), path_of("platform", platform), setting_pairs(set), whole("ranks", ranks), whole("nodes", nodes),
        whole("gpus_per_node", gpus_per_node), number("begin", begin), number("end", end), number("factor", factor),
        [number("sizes", size) for size in sizes], whole("element_size", element_size),
        text("algorithm", algorithm), text("protocol", protocol), whole("channels", channels), interruptible))


def sweep(file: str | os.PathLike[str], directory: str | os.PathLike[str], *, jobs: int = 0, retry: bool = False,
          progress: Progress = False) -> Sweep:
    """Simulates the points of a sweep file that `directory` lacks. An interrupted call continues where it stopped.

    `jobs`: points at a time, 0: as many as there are cores. `progress`: True for a line on standard error, which a notebook
    shows below its cell, or a function that is told parts from 0 to 1, several times a second. An exception of this function is printed
    and the call goes on; only KeyboardInterrupt and SystemExit end it."""
    return Sweep(_gradflight.sweep(path_of("file", file), path_of("directory", directory), whole("jobs", jobs), bool(retry),
                                   teller(progress)))
