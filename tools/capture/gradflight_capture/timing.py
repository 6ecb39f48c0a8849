"""Times of layers from marks at the borders between them."""

import statistics
import time

import torch


class CpuClock:
    """Marks are perf_counter's seconds."""

    name = "time.perf_counter"

    def mark(self):
        return time.perf_counter()

    def settle(self):
        pass

    def seconds(self, start, end):
        return end - start


class CudaClock:
    """Marks are events on the current stream: they cost no synchronisation until the step is over."""

    name = "CUDA events"

    def mark(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def settle(self):
        torch.cuda.synchronize()

    def seconds(self, start, end):
        return start.elapsed_time(end) / 1000


def clock_for(model):
    on_gpu = any(p.is_cuda for p in model.parameters())
    return CudaClock() if on_gpu else CpuClock()


class Stretch:
    """Consecutive marks, each interval booked to a layer or to nobody.

    Every moment of a pass belongs to exactly one layer, so the layers sum to the pass; what runs between modules (an
    addition, a view) goes to its neighbour.
    """

    def __init__(self, clock):
        self.clock = clock
        self.marks = []  # (time, layer that the interval ENDING here belongs to; None: nobody)

    def begin(self):
        self.until_here(None)

    def until_here(self, layer):
        self.marks.append((self.clock.mark(), layer))

    def sums(self):
        """Seconds per layer. The clock must have settled."""
        total = {}
        for (start, _), (end, layer) in zip(self.marks, self.marks[1:]):
            if layer is not None:
                total[layer] = total.get(layer, 0.0) + self.clock.seconds(start, end)
        return total


class Samples:
    """Times per layer over the measured steps; medians in the end."""

    def __init__(self):
        self.values = {}
        self.steps = 0

    def add(self, sums):
        self.steps += 1
        for key, seconds in sums.items():
            self.values.setdefault(key, []).append(seconds)

    def median(self, key):
        return statistics.median(self.values[key]) if key in self.values else 0.0

    def spread(self):
        """Interquartile range of a whole pass over its median: how far to trust the times. None below 4 steps."""
        totals = [sum(column) for column in zip(*self.values.values())] if self.values else []
        if len(totals) < 4:
            return None
        low, middle, high = statistics.quantiles(totals, n=4)
        return (high - low) / middle if middle else None
