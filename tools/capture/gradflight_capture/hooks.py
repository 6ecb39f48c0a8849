"""The hooks: what happens at the borders of layers, and the gradients as autograd makes them."""

import torch

from .timing import Stretch


class Recorder:
    """Records between start() and stop(); outside, its hooks do nothing."""

    def __init__(self, model, layers, clock):
        self.clock = clock
        self.called = []  # modules in the order of their first call
        self.forward = self.backward = None
        self.gradients = {}  # parameter name -> float32 array
        self._recording = self._keep = False
        self._handles = [model.register_forward_pre_hook(self._forward_begins)]
        for layer in layers:
            if layer.timed:
                self._handles.append(layer.module.register_forward_hook(self._after(layer.name)))
            for name, parameter in layer.parameters:
                self._handles.append(parameter.register_hook(self._gradient_of(name)))
        self._handles.append(model.register_forward_hook(self._forward_ends))

    def detach(self):
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def start(self, keep_gradients):
        self.forward, self.backward = Stretch(self.clock), Stretch(self.clock)
        self.gradients = {}
        self._keep = keep_gradients
        self._last = None        # the layer that ran last in the forward pass
        self._under_way = None   # the layer whose backward pass runs; None: none does
        self._recording = True

    def stop(self):
        self._recording = False

    def _forward_begins(self, module, inputs):
        if self._recording:
            self.forward.begin()
            self._last = self._under_way = None  # time until the next backward pass is nobody's

    def _after(self, name):
        def hook(module, inputs, output):
            if not self._recording or self._under_way is not None:
                return
            if not any(module is known for known in self.called):
                self.called.append(module)
            self.forward.until_here(name)
            self._last = name
            for tensor in _tensors(output):
                if tensor.requires_grad:
                    tensor.register_hook(self._before_backward_of(name))
        return hook

    def _forward_ends(self, module, inputs, output):
        # What the model does after its last layer counts to that layer.
        if self._recording and self._last is not None:
            self.forward.until_here(self._last)

    def _before_backward_of(self, name):
        def hook(gradient):
            # The gradient of a layer's output is there: those behind it are done, and it begins.
            if self._recording:
                self.backward.until_here(self._under_way)
                self._under_way = name
        return hook

    def _gradient_of(self, name):
        # Autograd calls this with the sum over all uses, before it reaches .grad or DistributedDataParallel.
        def hook(gradient):
            if not self._recording:
                return
            if self._under_way is not None:
                self.backward.until_here(self._under_way)
            if self._keep:
                value = gradient.detach().float().cpu().numpy()
                self.gradients[name] = self.gradients[name] + value if name in self.gradients else value.copy()
        return hook


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _tensors(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)
