"""The networks of the committed captures, with the layers and names of workloads/networks/ where it has them."""

from collections import OrderedDict

from torch import nn
from torch.nn import functional


def fully_connected(sizes):
    """mnist_mlp: 784-500-500-10; hdc_5fc: 784-500-500-500-500-10."""
    layers = OrderedDict()
    for i, (inputs, outputs) in enumerate(zip(sizes, sizes[1:]), start=1):
        layers[f"fc{i}"] = nn.Linear(inputs, outputs)
        if i + 1 < len(sizes):
            layers[f"relu{i}"] = nn.ReLU()
    return nn.Sequential(layers)


def small_cnn():
    """LeNet's form on 28x28: 11,978 parameters."""
    return nn.Sequential(OrderedDict(
        conv1=nn.Conv2d(1, 8, 5), relu1=nn.ReLU(), pool1=nn.MaxPool2d(2),
        conv2=nn.Conv2d(8, 16, 5), relu2=nn.ReLU(), pool2=nn.MaxPool2d(2), flatten=nn.Flatten(),
        fc1=nn.Linear(256, 32), relu3=nn.ReLU(), fc2=nn.Linear(32, 10)))


class ShortcutAdd(nn.Module):
    """Adds the block's input; where the block halves the image, every second pixel and channels of zeros (option A)."""

    def forward(self, x, shortcut):
        if shortcut.shape != x.shape:
            more = x.shape[1] - shortcut.shape[1]
            shortcut = functional.pad(shortcut[:, :, ::2, ::2], (0, 0, 0, 0, more // 2, more - more // 2))
        return x + shortcut


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu1 = nn.ReLU()
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.add = ShortcutAdd()
        self.relu = nn.ReLU()

    def forward(self, x):
        y = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))
        return self.relu(self.add(y, x))


def resnet20():
    """He et al. 2016, Sec. 4.2, n = 3, on 3x32x32: 269,722 parameters."""
    layers = OrderedDict(conv1=nn.Conv2d(3, 16, 3, 1, 1, bias=False), bn1=nn.BatchNorm2d(16), relu1=nn.ReLU())
    channels = 16
    for stage in range(3):
        outputs = 16 << stage
        for i in range(3):
            layers[f"s{stage + 1}b{i}"] = Block(channels, outputs, 2 if stage and i == 0 else 1)
            channels = outputs
    layers.update(pool=nn.AdaptiveAvgPool2d(1), flatten=nn.Flatten(), fc=nn.Linear(64, 10))
    model = nn.Sequential(layers)
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return model


def parameters(model):
    return sum(p.numel() for p in model.parameters())


# name -> (maker, form of its input)
NETWORKS = {
    "mnist-mlp": (lambda: fully_connected([784, 500, 500, 10]), "flat"),
    "hdc": (lambda: fully_connected([784, 500, 500, 500, 500, 10]), "flat"),
    "small-cnn": (small_cnn, "grey"),
    "resnet20": (resnet20, "colour"),
}
