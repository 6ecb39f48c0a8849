"""scikit-learn's bundled digits (1,797 images of 8x8) in the shapes of MNIST and CIFAR-10, shared out to workers."""

import numpy
import torch
from sklearn.datasets import load_digits
from torch.nn import functional

TEST_IMAGES = 360


class Digits:
    """form: `flat` 784, `grey` 1x28x28, `colour` 3x32x32."""

    def __init__(self, form, seed):
        bundle = load_digits()
        order = numpy.random.default_rng(seed).permutation(len(bundle.target))
        images = torch.from_numpy(bundle.images[order]).float().unsqueeze(1) / 16
        labels = torch.from_numpy(bundle.target[order])
        # 24x24 in the middle leaves a dark border, as MNIST has.
        images = functional.interpolate(images, size=24, mode="bilinear", align_corners=False)
        images = functional.pad(images, [4 if form == "colour" else 2] * 4)
        self.form = form
        self.test = (self._shaped(images[:TEST_IMAGES], numpy.random.default_rng(seed + 1)), labels[:TEST_IMAGES])
        self.images, self.labels = images[TEST_IMAGES:], labels[TEST_IMAGES:]

    def steps_per_epoch(self, workers, batch):
        return len(self.labels) // (workers * batch)

    def epoch(self, seed, workers, batch):
        """Steps of one epoch: for each worker its own mini-batch; no image comes twice. Images are shifted by up to
        two pixels each way, so that there is something left to learn late in training."""
        random = numpy.random.default_rng(seed)
        order = random.permutation(len(self.labels))
        for step in range(self.steps_per_epoch(workers, batch)):
            shares = []
            for worker in range(workers):
                start = (step * workers + worker) * batch
                chosen = torch.from_numpy(order[start:start + batch])
                shares.append((self._shaped(self._shifted(self.images[chosen], random), random), self.labels[chosen]))
            yield shares

    @staticmethod
    def _shifted(images, random):
        shifts = random.integers(-2, 3, size=(len(images), 2))
        return torch.stack([torch.roll(image, tuple(shift), (1, 2)) for image, shift in zip(images, shifts.tolist())])

    def _shaped(self, images, random):
        if self.form == "flat":
            return images.flatten(1)
        if self.form == "grey":
            return images
        # Ink and paper of two colours each: three channels that differ, as photographs' do.
        ink, paper = (torch.from_numpy(random.uniform(low, high, (len(images), 3, 1, 1))).float()
                      for low, high in ((0.5, 1.0), (0.0, 0.4)))
        return (images * ink + (1 - images) * paper - 0.35) / 0.3
