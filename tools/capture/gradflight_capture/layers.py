"""Which modules are layers, and which parameters each of them makes gradients for."""

from typing import NamedTuple

from torch import nn

# Their children are not called as modules, so only the whole can be timed.
INDIVISIBLE = (nn.MultiheadAttention,)


class Layer(NamedTuple):
    name: str
    module: nn.Module
    parameters: list    # (qualified name, parameter)
    timed: bool = True  # False: the parameters that a container owns itself


def unwrap(model):
    """The user's model inside DistributedDataParallel or DataParallel."""
    wrappers = (nn.parallel.DistributedDataParallel, nn.DataParallel)
    return model.module if isinstance(model, wrappers) else model


def find_layers(model, indivisible=()):
    """Layers in registration order; the order of the forward pass is known only once it has run.

    A layer is a module without children, or one of an indivisible type with all that is in it. Parameters that a
    container with children owns itself (a class token, say) become a layer of their own that takes no time.
    """
    found, seen, visited = [], set(), set()

    def own(named):
        fresh = [(name, p) for name, p in named if p.requires_grad and id(p) not in seen]
        seen.update(id(p) for _, p in fresh)
        return fresh

    def visit(module, name):
        if id(module) in visited:  # shared by two containers
            return
        visited.add(id(module))
        prefix = name + "." if name else ""
        whole = isinstance(module, INDIVISIBLE + tuple(indivisible)) or next(module.children(), None) is None
        parameters = own((prefix + n, p) for n, p in module.named_parameters(recurse=whole))
        if whole:
            found.append(Layer(name or type(module).__name__.lower(), module, parameters))
            return
        if parameters:
            found.append(Layer(prefix + "(own)", module, parameters, timed=False))
        for child_name, child in module.named_children():
            visit(child, prefix + child_name)

    visit(model, "")
    return found


def forward_order(layers, called):
    """The layers as the forward pass came to them; `called` holds modules in the order of their first call.

    A container's own parameters count as used before the first of its layers: only then is their gradient sure to be
    complete. A tied parameter goes to the layer that used it first, for the same reason.
    """
    place = {id(module): i for i, module in enumerate(called)}
    ordered = []
    for index, layer in enumerate(layers):
        inside = layer.module.modules() if not layer.timed else [layer.module]
        places = [place[id(module)] for module in inside if id(module) in place]
        if places:
            ordered.append(((min(places), layer.timed, index), layer))
        elif layer.parameters:
            raise ValueError(f"layer {layer.name} has parameters but never ran: call requires_grad_(False) on them, "
                             "or name its container as indivisible")
    return _tied_to_first([layer for _, layer in sorted(ordered, key=lambda entry: entry[0])])


def _tied_to_first(ordered):
    owned = {id(p): name for layer in ordered for name, p in layer.parameters}
    result = []
    for layer in ordered:
        users = layer.module.parameters() if layer.timed else [p for _, p in layer.parameters]
        mine = [(owned.pop(id(p)), p) for p in users if id(p) in owned]
        result.append(layer._replace(parameters=mine))
    return result
