#!/usr/bin/env python3
"""Writes the workload catalogue: workloads/networks/*.json and workloads/traces/*/*.json.

    tools/make_workloads.py LAYERS.json [--table]

LAYERS.json is a list of networks with shapes and FLOPs per layer. The traces' figures are the papers' own and stand
below, each with its place. --table writes nothing and prints the network table of docs/workloads.md instead.
Standard library only.
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "workloads"
PTB_SEQUENCE = 35  # tokens; gTop-k's LSTM-PTB is unrolled over 35, and a sample is a sequence

SOURCES = {
    "alexnet_caffe": "INCEPTIONN Sec. VII-A: AlexNet, 5 convolutions and 3 fully connected layers, 233 MB (MiB). Krizhevsky et al. 2012, two groups, input 227x227",
    "alexnet_bn_26t": "GradientFlow Sec. 2.3.1: AlexNet with batch normalisation, 26 tensors, 60.9 M parameters",
    "alexnet_owt": "gTop-k Table V: AlexNet as in the authors' code (hclhkbu/gtopkssgd), which is torchvision.models.alexnet",
    "vgg16_imagenet": "INCEPTIONN Sec. VII-A: VGG-16, 13 convolutions and 3 fully connected layers, 525 MB (527.8 MiB by its definition)",
    "vgg16_cifar": "gTop-k Table V: VGG-16 on CIFAR-10 as in the authors' code (hclhkbu/gtopkssgd): 13 convolutions with batch normalisation and ONE fully connected layer; the text says three",
    "vgg16_cifar_3fc": "gTop-k Sec. IV: VGG-16 on CIFAR-10 as the text words it, with three fully connected layers (512-512-512-10); hypothetical, see vgg16_cifar",
    "resnet50": "He et al. 2016, stride on the 3x3 convolution (4.09 GMAC). INCEPTIONN Sec. VII-A (98 MB, MiB), gTop-k Table V",
    "resnet50_noscbn": "GradientFlow Sec. 2.3.1: ResNet-50 with 153 tensors, which is the standard one without batch normalisation on the 4 projection shortcuts",
    "resnet50_noscbn_nofcbias": "GradientFlow Fig. 5 caption: ResNet-50 with 152 tensors, which is resnet50_noscbn without the bias of the last layer",
    "resnet18": "He et al. 2016. Pipe-SGD Sec. 4: ResNet-18 on ImageNet",
    "resnet20_cifar": "gTop-k Table V: ResNet-20 on CIFAR-10; He et al. 2016, shortcuts without parameters",
    "resnet110_cifar": "3LC Sec. 4.3: ResNet-110 on CIFAR-10; He et al. 2016, shortcuts without parameters",
    "hdc_5fc": "INCEPTIONN Sec. VII-A: HDC as worded, five fully connected layers, hidden size 500. Its 4.38 MiB contradict the 2.5 MB that the paper gives; see mnist_mlp",
    "mnist_mlp": "Pipe-SGD Sec. 4: MNIST-MLP, 784-500-500-10. Its 2.47 MiB are also the 2.5 MB of INCEPTIONN's HDC",
    "cifar100_cnn": "Pipe-SGD Sec. 4: CIFAR100-CNN after lrjconan/deep_parsimonious, which its reference cites; biases assumed. CIFAR100-Convex trains fc2 only",
    "lstm_ptb": "gTop-k Table V: LSTM-PTB, 2 x 1500, vocabulary 10,000 (hclhkbu/gtopkssgd). FLOPs per sample = sequence of 35 tokens",
}

SPLIT = "Per-layer times are the measured total split over the layers by FLOPs, not measurements."


def inceptionn(forward, backward, copy, update, extra=""):
    """Seconds for 100 iterations, Table II."""
    times = {"forward": forward, "backward": backward, "update": update}
    source = (f"INCEPTIONN Table II (seconds for 100 iterations on 4 workers and an aggregator: forward {forward}, "
              f"backward {backward}, update {update}), batch from Table I, GPU from Sec. VII-C.{extra} {SPLIT} "
              + (f"Table II's GPU copy ({copy} s for 100 iterations) is not compute: the scenario states it as a cost."
                 if copy else "Table II has no GPU copy."))
    return {key: Fraction(value) / 100 for key, value in times.items()}, source


def throughput(batch, images_per_s, place, speedup="1"):
    """A single GPU's time from its images/s, or from a cluster's images/s over its speedup ratio."""
    seconds = batch * Fraction(speedup) / Fraction(images_per_s)
    rate = f"{images_per_s} images/s" + (f" / {speedup} (throughput over speedup ratio)" if speedup != "1" else "")
    return {"total": seconds}, (f"GradientFlow {place}: {batch} images at {rate} on one GPU. "
                                f"The total includes the update. {SPLIT}")


def gtopk(seconds, extra="", parts=1):
    return ({"total": Fraction(seconds) / parts},
            f"gTop-k Table VI: {seconds} s an iteration on one P102-100.{extra} The total includes the update. {SPLIT}")


# path, name, network, batch per GPU, (times, source)
TRACES = [
    ("inceptionn/alexnet-titanxp-64", "AlexNet, Titan Xp, batch 64", "alexnet_caffe", 64,
     inceptionn("3.13", "16.22", "5.68", "13.67")),
    ("inceptionn/hdc-titanxp-25", "HDC, Titan Xp, batch 25", "mnist_mlp", 25,
     inceptionn("0.08", "0.07", None, "0.09", " The network is the 784-500-500-10 perceptron, which has the paper's"
                " 2.5 MB; five layers would not (hdc_5fc).")),
    ("inceptionn/resnet50-titanxp-16", "ResNet-50, Titan Xp, batch 16", "resnet50", 16,
     inceptionn("2.63", "4.87", "2.24", "1.55")),
    ("inceptionn/vgg16-titanxp-64", "VGG-16, Titan Xp, batch 64", "vgg16_imagenet", 64,
     inceptionn("35.25", "142.34", "12.09", "30.50", " The table prints 32.25 for forward, a slip: its rows sum to its"
                " total of 823.65, and its 4.3 % hold, with 35.25 only.")),
    ("gradientflow/alexnet-pascal-fp32-128", "AlexNet, Pascal, FP32, batch 128", "alexnet_bn_26t", 128,
     throughput(128, "1670", "Sec. 2.3.3")),
    ("gradientflow/alexnet-pascal-mp-128", "AlexNet, Pascal, mixed precision, batch 128", "alexnet_bn_26t", 128,
     throughput(128, "110300", "Table 1 and Sec. 2.5 (the text rounds to 1.9K)", "55.8")),
    ("gradientflow/alexnet-volta-fp32-128", "AlexNet, Volta, FP32, batch 128", "alexnet_bn_26t", 128,
     throughput(128, "2900", "Sec. 2.5 (2.9K, two digits)")),
    ("gradientflow/alexnet-volta-mp-128", "AlexNet, Volta, mixed precision, batch 128", "alexnet_bn_26t", 128,
     throughput(128, "326700", "Table 1 and Sec. 2.5 (the text rounds to 3.7K)", "88.5")),
    ("gradientflow/resnet50-pascal-fp32-64", "ResNet-50, Pascal, FP32, batch 64", "resnet50_noscbn", 64,
     throughput(64, "172", "Sec. 2.3.3")),
    ("gradientflow/resnet50-pascal-mp-64", "ResNet-50, Pascal, mixed precision, batch 64", "resnet50_noscbn", 64,
     throughput(64, "223", "Sec. 2.5")),
    ("gradientflow/resnet50-pascal-mp-128", "ResNet-50, Pascal, mixed precision, batch 128", "resnet50_noscbn", 128,
     throughput(128, "29600", "Table 2 and Sec. 3.1 (lazy all-reduce with overlap)", "123.5")),
    ("gradientflow/resnet50-volta-fp32-128", "ResNet-50, Volta, FP32, batch 128", "resnet50_noscbn", 128,
     throughput(128, "301", "Sec. 2.5")),
    ("gradientflow/resnet50-volta-mp-128", "ResNet-50, Volta, mixed precision, batch 128", "resnet50_noscbn", 128,
     throughput(128, "621", "Sec. 2.5")),
    ("gtop-k/vgg16-p102-128", "VGG-16 on CIFAR-10, P102-100, batch 128", "vgg16_cifar", 128, gtopk("0.097")),
    ("gtop-k/resnet20-p102-128", "ResNet-20, P102-100, batch 128", "resnet20_cifar", 128, gtopk("0.146")),
    ("gtop-k/alexnet-p102-64", "AlexNet, P102-100, batch 64", "alexnet_owt", 64, gtopk("0.369")),
    ("gtop-k/resnet50-p102-256", "ResNet-50, P102-100, batch 256 = 16 x 16 accumulated", "resnet50", 256,
     gtopk("4.842", " One iteration accumulates 16 mini-batches of 16 (Sec. IV-E): all 16 passes are in this time.")),
    ("gtop-k/resnet50-p102-16", "ResNet-50, P102-100, batch 16, one of 16 accumulated mini-batches", "resnet50", 16,
     gtopk("4.842", " That iteration accumulates 16 mini-batches of 16 (Sec. IV-E); this is one of them, a sixteenth of"
           " the time.", 16)),
]


def networks(path):
    for model in json.loads(Path(path).read_text(encoding="utf-8")):
        scale = PTB_SEQUENCE if model["model"] == "lstm_ptb" else 1
        layers = [{"name": layer["name"], "flops_forward": layer["flops_fwd"] * scale,
                   "flops_backward": layer["flops_bwd"] * scale,
                   "tensors": [{"name": t["name"], "shape": t["shape"]} for t in layer["tensors"]]}
                  for layer in model["layers"]]
        yield {"name": model["model"], "source": SOURCES[model["model"]], "layers": layers}


def write_network(network):
    head = [f"  {json.dumps(key)}: {json.dumps(network[key])},\n" for key in ("name", "source")]
    rows = ",\n".join("    " + json.dumps(layer) for layer in network["layers"])
    path = ROOT / "networks" / (network["name"] + ".json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + "".join(head) + '  "layers": [\n' + rows + "\n  ]\n}\n", encoding="utf-8")


def seconds_text(value):
    """Exact milliseconds where they end, else the nearest double in seconds."""
    tenths_of_us = value * 10**7
    if tenths_of_us.denominator == 1:
        return f"{float(value * 1000):.10g}ms"
    return f"{float(value)!r}s"


def write_trace(trace):
    path, name, network, batch, (times, source) = trace
    compute = {key: seconds_text(value) for key, value in times.items()} | {"split": "flops"}
    out = ROOT / "traces" / (path + ".json")
    out.parent.mkdir(parents=True, exist_ok=True)
    body = {"name": name, "source": source, "extends": f"../../networks/{network}.json", "batch": batch}
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in (body | {"compute": compute}).items()]
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def table_row(network):
    shapes = [t["shape"] for layer in network["layers"] for t in layer["tensors"]]
    parameters = 0
    for shape in shapes:
        size = 1
        for extent in shape:
            size *= extent
        parameters += size
    flops = [sum(layer[key] for layer in network["layers"]) for key in ("flops_forward", "flops_backward")]
    return (f"| `{network['name']}` | {len(network['layers'])} | {len(shapes)} | {parameters:,} | "
            f"{parameters * 4 / 10**6:.2f} | {parameters * 4 / 2**20:.2f} | {flops[0]:,} | {flops[1]:,} |")


def main(arguments):
    paths = [a for a in arguments if a != "--table"]
    if len(paths) != 1:
        sys.exit(__doc__)
    catalogue = list(networks(paths[0]))
    if "--table" in arguments:
        print("\n".join(table_row(network) for network in catalogue))
        return
    for network in catalogue:
        write_network(network)
    for trace in TRACES:
        write_trace(trace)


if __name__ == "__main__":
    main(sys.argv[1:])
