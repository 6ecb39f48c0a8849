#!/usr/bin/env python3
"""Writes workloads/models/*.json: models that train on clusters, layer by layer, from their shapes.

    tools/make_models.py SHAPES.json [--check]

SHAPES.json has for each model its shape, and its exact number of parameters, which the layers must sum to. A sample is a
sequence (an image, a click). --check writes nothing. Standard library only.
"""

import json
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "workloads" / "models"


def size(tensors):
    total = 0
    for tensor in tensors:
        product = 1
        for extent in tensor["shape"]:
            product *= extent
        total += product
    return total


def layer(name, tensors, flops):
    """`tensors`: (name, extents...). Backward is twice forward: half for inputs, half for weights."""
    return {"name": name, "flops_forward": flops, "flops_backward": 2 * flops,
            "tensors": [{"name": f"{name}.{t[0]}", "shape": list(t[1:])} for t in tensors]}


def norm(name, width, kind):
    return [(f"{name}.weight", width)] + ([(f"{name}.bias", width)] if kind == "layernorm" else [])


def block(number, m, fused, tokens):
    """A transformer's layer as two: what stands with the attention, and with the MLP."""
    h, f, kv = m["hidden"], m["ffn_hidden"], m.get("kv_heads", m["heads"]) * (m["hidden"] // m["heads"])
    bias = m["bias"]

    def linear(name, out, inputs):
        return [(f"{name}.weight", out, inputs)] + ([(f"{name}.bias", out)] if bias else [])

    attention = norm("norm", h, m["norm"])
    if fused:
        attention += linear("qkv", h + 2 * kv, h)
    else:
        attention += linear("query", h, h) + linear("key", kv, h) + linear("value", kv, h)
    attention += linear("out", h, h)
    used = 2 * h * h + 2 * h * kv
    yield layer(f"block{number}.attention", attention, tokens * (2 * used + 4 * tokens * h))

    up = ("gate", "up") if m.get("gated_mlp") else ("up",)
    mlp = norm("norm", h, m["norm"])
    if "experts" in m:
        mlp += [("router.weight", m["experts"], h)]
        for e in range(m["experts"]):
            mlp += [t for name in up for t in linear(f"expert{e}.{name}", f, h)] + linear(f"expert{e}.down", h, f)
        used = m["experts_per_token"] * (len(up) + 1) * h * f + m["experts"] * h
    else:
        mlp += [t for name in up for t in linear(name, f, h)] + linear("down", h, f)
        used = (len(up) + 1) * h * f
    yield layer(f"block{number}.mlp", mlp, tokens * 2 * used)


def transformer(name, m):
    h, s, vocabulary = m["hidden"], m["sequence"], m["vocabulary"]
    head = s * 2 * h * vocabulary
    if name.startswith("bert"):  # 512 positions and 2 kinds of token; both heads of pre-training
        yield layer("embeddings", [("word.weight", vocabulary, h), ("position.weight", s, h), ("type.weight", 2, h)]
                    + norm("norm", h, m["norm"]), 0)
    else:
        yield layer("embeddings", [("word.weight", vocabulary, h)]
                    + ([("position.weight", m["position_embeddings"], h)] if m["position_embeddings"] else []), 0)
    for number in range(m["layers"]):
        yield from block(number, m, name.startswith("gpt"), s)
    if name.startswith("bert"):
        yield layer("pooler", [("weight", h, h), ("bias", h)], 2 * h * h)
        yield layer("predictions", [("transform.weight", h, h), ("transform.bias", h)] + norm("norm", h, m["norm"])
                    + [("bias", vocabulary)], s * 2 * h * h + head)
        yield layer("next_sentence", [("weight", 2, h), ("bias", 2)], 4 * h)
        return
    own = [] if m["tied_embeddings"] else [("weight", vocabulary, h)]
    yield layer("head", norm("norm", h, m["norm"]) + own, head)


def vision(m):
    h, tokens, patch = m["hidden"], m["tokens"], m["patch"]
    yield layer("patches", [("weight", h, 3, patch, patch), ("bias", h), ("class_token", 1, 1, h),
                            ("position", 1, tokens, h)], (tokens - 1) * 2 * h * 3 * patch * patch)
    for number in range(m["layers"]):
        yield from block(number, m, True, tokens)
    yield layer("head", norm("norm", h, m["norm"]) + [("weight", m["classes"], h), ("bias", m["classes"])],
                2 * h * m["classes"])


def recommendation(m):
    def mlp(name, widths):
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            yield layer(f"{name}{i}", [("weight", b, a), ("bias", b)], 2 * a * b)

    cross = m["interaction"]
    yield from mlp("bottom", m["bottom_mlp"])
    for i in range(cross["layers"]):
        yield layer(f"cross{i}", [("v", cross["low_rank"], cross["width"]), ("w", cross["width"], cross["low_rank"]),
                                  ("bias", cross["width"])], 4 * cross["low_rank"] * cross["width"])
    yield from mlp("top", m["top_mlp"])


def network(name, m):
    about = m["published_parameters"]["source"]
    total = m["parameters"]["total"]
    if m["kind"].startswith("transformer"):
        layers = list(transformer(name, m))
        sample = f"A sample is a sequence of {m['sequence']} tokens"
    elif m["kind"] == "vision-transformer":
        layers, sample = list(vision(m)), f"A sample is an image of {m['image']} x {m['image']} pixels"
    elif m["kind"] == "recommendation":
        layers, sample = list(recommendation(m)), "The dense part, which data parallelism exchanges, without tables"
        total = m["parameters"]["dense"]
    else:
        return None  # in workloads/networks
    found = sum(size(row["tensors"]) for row in layers)
    if found != total:
        sys.exit(f"{name}: {found} parameters in its layers, {total} in all")
    return {"name": name, "source": f"Shape and parameters: {about}. {sample}; forward FLOPs of matrix products and "
                                    "attention scores, backward twice as many", "layers": layers}


def write(body):
    OUT.mkdir(parents=True, exist_ok=True)
    head = "".join(f"  {json.dumps(key)}: {json.dumps(body[key])},\n" for key in ("name", "source"))
    rows = ",\n".join("    " + json.dumps(row) for row in body["layers"])
    (OUT / f"{body['name']}.json").write_text("{\n" + head + '  "layers": [\n' + rows + "\n  ]\n}\n", encoding="utf-8")


def main(arguments):
    paths = [a for a in arguments if a != "--check"]
    if len(paths) != 1:
        sys.exit(__doc__)
    for name, m in json.loads(Path(paths[0]).read_text(encoding="utf-8"))["models"].items():
        body = network(name, m)
        if body and "--check" not in arguments:
            write(body)


if __name__ == "__main__":
    main(sys.argv[1:])
