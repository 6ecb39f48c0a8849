"""What goes wrong, as exceptions."""
from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """One thing that is wrong with an input, and where."""

    file: str
    """"" where no file is at fault."""
    line: int
    """From 1; 0: the file as a whole."""
    column: int
    """From 1, in characters; 0: the file as a whole."""
    pointer: str
    """JSON pointer to the value, such as "/platform/nodes"."""
    message: str
    """What is wrong, and what is allowed."""


class InputError(ValueError):
    """A scenario, or a call, is wrong. Nothing was simulated. `mistakes` has all of them, not only the first."""

    mistakes: list[Mistake]

    def __init__(self, text: str, mistakes: list[tuple[str, int, int, str, str]] = ()):
        super().__init__(text.rstrip("\n"))
        self.mistakes = [Mistake(*mistake) for mistake in mistakes]

    def __reduce__(self):
        return type(self), (str(self), [tuple(m) for m in self.mistakes])


class SimulationError(RuntimeError):
    """The scenario is right, and its simulation came to no end: a deadlock, a limit, a thing that never comes back."""


class OutputError(OSError):
    """A directory cannot be written."""
