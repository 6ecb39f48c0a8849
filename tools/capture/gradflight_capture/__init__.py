"""Records what a PyTorch model's training step costs and which gradients it makes, for Gradflight. See docs/capture.md."""

from .capture import Capture
from .check import check_directory

__all__ = ["Capture", "check_directory"]
