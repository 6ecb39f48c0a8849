"""Attaches to a model; writes a workload directory."""

import contextlib

import numpy

from . import layout
from .hooks import Recorder
from .layers import find_layers, forward_order, unwrap
from .timing import Samples, clock_for


class Capture:
    """Attach to a model, train as usual, and close.

    with Capture(model, "out", name="mine", batch=32, workers=4, iterations={"early": 10, "late": 500}) as capture:
        for ...:
            for w in range(4):                       # or, with a process for each worker, rank=w and one turn
                with capture.worker(w):
                    loss_function(model(x[w]), y[w]).backward()
            with capture.update():
                optimizer.step()
            capture.step(loss=..., accuracy=...)

    iterations  which steps' gradients to keep: {point name: number} or a list of numbers; step 0 is the one that
                starts from the initial weights
    workers     data-parallel workers; `rank` says which one this process is (None: it plays all of them)
    batch       samples of one worker and step
    warmup      steps that are not timed; steps that keep gradients never are
    source      for people: hardware, data, what was measured
    training    facts for the index: learning rate, seed, ...
    indivisible module types to be taken as one layer
    """

    def __init__(self, model, directory, *, name, batch, workers=1, iterations=(), rank=None, warmup=5, source="",
                 training=None, indivisible=()):
        if rank is not None and not 0 <= rank < workers:
            raise ValueError(f"rank {rank} is not one of {workers} workers")
        if not isinstance(iterations, dict):
            iterations = {f"iteration-{i}": i for i in iterations}
        if len(set(iterations.values())) != len(iterations):
            raise ValueError("two points name the same iteration")
        self.points = {iteration: layout.checked_point(point) for point, iteration in iterations.items()}
        self.name, self.source, self.batch, self.workers, self.rank = name, source, batch, workers, rank
        self.training, self.warmup = dict(training or {}), warmup
        self.iteration = 0
        model = unwrap(model)
        self._directory = layout.Directory(directory)
        self._clock = clock_for(model)
        self._times = {"forward": Samples(), "backward": Samples(), "update": Samples()}
        self._facts = []
        self._found = find_layers(model, indivisible)
        self._layers = None  # in forward order, known after the first pass
        self._recorder = Recorder(model, self._found, self._clock)
        self._done = set()

    @contextlib.contextmanager
    def worker(self, worker=None, gradient_scale=1.0):
        """The forward and backward pass of one worker; with `rank`, of this process.

        gradient_scale: what the loss was multiplied with (torch.cuda.amp.GradScaler.get_scale()); gradients are
        divided by it. Several backward passes in one turn (accumulation) are summed.
        """
        worker = self.rank if worker is None else worker
        allowed = range(self.workers) if self.rank is None else [self.rank]
        if worker not in allowed:
            raise ValueError(f"worker {worker} is not one of {list(allowed)}")
        if worker in self._done:
            raise ValueError(f"worker {worker} had its turn in step {self.iteration}: call step() after each step")
        point = self.points.get(self.iteration)
        self._recorder.start(keep_gradients=point is not None)
        try:
            yield
        finally:
            self._recorder.stop()
        self._done.add(worker)
        if self._layers is None:
            self._layers = forward_order(self._found, self._recorder.called)
        if point is not None:
            self._directory.write_gradient(point, worker, self._flat(gradient_scale))
        elif self.iteration >= self.warmup:
            self._clock.settle()
            self._times["forward"].add(self._recorder.forward.sums())
            self._times["backward"].add(self._recorder.backward.sums())

    @contextlib.contextmanager
    def update(self):
        """The optimizer's step."""
        start = self._clock.mark()
        yield
        end = self._clock.mark()
        if self.iteration >= self.warmup:
            self._clock.settle()
            self._times["update"].add({"update": self._clock.seconds(start, end)})

    def step(self, **facts):
        """The end of a step. Facts of one whose gradients are kept (epoch, loss, accuracy) go into the index."""
        missing = (set(range(self.workers)) if self.rank is None else {self.rank}) - self._done
        if missing:
            raise ValueError(f"step {self.iteration} ended without worker {min(missing)}")
        if self.iteration in self.points:
            self._facts.append({"name": self.points[self.iteration], "iteration": self.iteration, **facts})
        self._done = set()
        self.iteration += 1

    def close(self):
        """Takes the hooks off and writes workload.json and gradients/index.json (only rank 0, where there are ranks)."""
        self._recorder.detach()
        missed = sorted(i for i in self.points if i >= self.iteration)
        if missed:
            raise ValueError(f"training ended after {self.iteration} steps, before step {missed[0]}, which was to be kept")
        if not self._times["forward"].steps:
            raise ValueError(f"no step was timed: of {self.iteration}, {self.warmup} are warm-up and "
                             f"{len(self.points)} keep gradients")
        if self.rank not in (None, 0):
            return
        layers = [layout.Layer(layer.name, self._times["forward"].median(layer.name),
                               self._times["backward"].median(layer.name),
                               [layout.Tensor(name, tuple(p.shape)) for name, p in layer.parameters])
                  for layer in self._layers]
        self._directory.write_workload(self.name, self.source, layers, self._times["update"].median("update"), self.batch)
        if self.points:
            self._directory.write_index(layers, self.workers, self._facts, self._timing(), self.training)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        else:
            self._recorder.detach()

    def _flat(self, scale):
        """The worker's whole gradient, tensors in forward order."""
        parts = []
        for layer in self._layers:
            for name, parameter in layer.parameters:
                gradient = self._recorder.gradients.get(name)
                # The loss did not depend on it: zeros, as in DistributedDataParallel.
                parts.append(numpy.zeros(parameter.numel(), numpy.float32) if gradient is None else gradient.ravel())
        return numpy.concatenate(parts) / numpy.float32(scale)

    def _timing(self):
        spread = {key: self._times[key].spread() for key in ("forward", "backward")}
        return {"clock": self._clock.name, "warmup_steps": self.warmup, "passes_timed": self._times["forward"].steps,
                **{f"{key}_spread": round(value, 4) for key, value in spread.items() if value is not None}}
