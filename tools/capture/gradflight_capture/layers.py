"""Which modules are layers, and which parameters each of them makes gradients for."""

from torch import nn

# Their children are not called as modules, so only the whole can be timed.
INDIVISIBLE = (nn.MultiheadAttention,)


class Layer:
    """A module that is timed as a whole. `module` is None for the parameters that a container owns itself."""

    def __init__(self, name, module, parameters):
        self.name = name
        self.module = module
        self.parameters = parameters  # (qualified name, parameter)


def unwrap(model):
    """The user's model inside DistributedDataParallel or DataParallel."""
    wrappers = (nn.parallel.DistributedDataParallel, nn.DataParallel)
    return model.module if isinstance(model, wrappers) else model


def find_layers(model, indivisible=()):
    """Layers in registration order; the order of the forward pass is known only once it has run.

    A layer is a module without children, or one of an indivisible type with all that is in it. Parameters that a
    container with children owns itself (a class token, say) become a layer of their own that takes no time.
    """
    found, seen = [], set()

    def own(named):
        fresh = [(name, p) for name, p in named if p.requires_grad and id(p) not in seen]
        seen.update(id(p) for _, p in fresh)
        return fresh

    def visit(module, name):
        prefix = name + "." if name else ""
        whole = isinstance(module, INDIVISIBLE + tuple(indivisible)) or next(module.children(), None) is None
        parameters = own((prefix + n, p) for n, p in module.named_parameters(recurse=whole))
        if whole:
            found.append(Layer(name or type(module).__name__.lower(), module, parameters))
            return
        if parameters:
            found.append(Layer(prefix + "own", None, parameters))
        for child_name, child in module.named_children():  # yields a shared module once
            visit(child, prefix + child_name)

    visit(model, "")
    return found


def forward_order(layers, called):
    """The layers as the forward pass came to them; `called` holds modules in the order of their first call.

    A container's own parameters count as used just before the first of the layers that follow it in registration
    order. A tied parameter stays with the layer that used it first: only then is its gradient complete.
    """
    place = {id(module): i for i, module in enumerate(called)}
    ordered, following = [], None
    for index in range(len(layers) - 1, -1, -1):
        layer = layers[index]
        if layer.module is not None:
            following = place.get(id(layer.module), following)
            key = place.get(id(layer.module))
        else:
            key = following
        if key is not None:
            ordered.append((key, layer.module is not None, index, layer))
        elif layer.parameters:
            raise ValueError(f"layer {layer.name} has parameters but never ran: call requires_grad_(False) on them, "
                             "or name its container as indivisible")
    ordered.sort(key=lambda entry: entry[:3])
    ordered = [entry[3] for entry in ordered]
    return _move_tied(ordered)


def _move_tied(ordered):
    """Gives a parameter that several layers use to the first of them."""
    taken, result = {}, []
    for layer in ordered:
        for name, parameter in layer.parameters:
            taken.setdefault(id(parameter), (layer, name, parameter))
    for layer in ordered:
        users = layer.module.parameters() if layer.module is not None else [p for _, p in layer.parameters]
        mine = []
        for parameter in users:
            entry = taken.pop(id(parameter), None)
            if entry:
                mine.append((entry[1], parameter))
        result.append(Layer(layer.name, layer.module, mine))
    return result
