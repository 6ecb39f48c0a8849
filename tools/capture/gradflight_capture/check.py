"""Is a workload directory consistent? Standard library only: whoever reads gradients need not have torch or numpy."""

import array
import ast
import gzip
import json
import math
import struct
import sys
import zlib
from pathlib import Path

FILES = {1: "{point}/worker-{worker}.npy", 2: "{point}/worker-{worker}.npy.gz"}  # by version


def check_directory(path):
    """All that is wrong with a workload directory, as a list of lines; empty where nothing is."""
    path = Path(path)
    wrong = []
    workload = _json(path / "workload.json", wrong)
    index = _json(path / "gradients" / "index.json", wrong)
    if workload is None or index is None:
        return wrong
    try:
        _check_tensors(workload, index, wrong)
        _check_times(workload, wrong)
        _check_points(path / "gradients", index, wrong)
    except (KeyError, TypeError, AttributeError) as error:
        wrong.append(f"{path}: not in the documented form: {type(error).__name__} {error}")
    return wrong


def read_npy(path):
    """(shape, float32 values) of a .npy, or .npy.gz, of little-endian float32 in C order."""
    data = Path(path).read_bytes()
    if Path(path).suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"not a whole gzip file: {error}") from None
    if data[:6] != b"\x93NUMPY" or len(data) < 12:
        raise ValueError("not a .npy file")
    size, start = (struct.unpack_from("<H", data, 8)[0], 10) if data[6] == 1 else (struct.unpack_from("<I", data, 8)[0], 12)
    try:
        header = ast.literal_eval(data[start:start + size].decode("latin1").strip())
        kind, shape = (header["descr"], header["fortran_order"]), header["shape"]
    except (ValueError, SyntaxError, KeyError, TypeError):
        raise ValueError("its header cannot be read") from None
    if kind != ("<f4", False):
        raise ValueError(f"{kind[0]}{', Fortran order' if kind[1] else ''}, not little-endian float32 in C order")
    body = data[start + size:]
    if len(body) != 4 * math.prod(shape):
        raise ValueError(f"{len(body)} bytes of data for shape {shape}")
    values = array.array("f", body)
    if sys.byteorder == "big":
        values.byteswap()
    return shape, values


def _json(path, wrong):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        wrong.append(f"{path}: {error}")
        return None


def _check_tensors(workload, index, wrong):
    shapes = [(t["name"], math.prod(t["shape"])) for layer in workload["layers"] for t in layer["tensors"]]
    rows = [(t["name"], t["elements"]) for t in index["tensors"]]
    if shapes != rows:
        wrong.append("gradients/index.json: its tensors are not those of workload.json, in forward order")
    offset = 0
    for row in index["tensors"]:
        if row["offset"] != offset:
            wrong.append(f"gradients/index.json: tensor {row['name']} is at {offset}, not at {row['offset']}")
        offset += row["elements"]
    if offset != index["elements"]:
        wrong.append(f"gradients/index.json: its tensors have {offset} elements, not {index['elements']}")
    names = [layer["name"] for layer in workload["layers"]]
    if len(set(names)) != len(names):
        wrong.append("workload.json: two layers have one name")


def _check_times(workload, wrong):
    for key in ("forward", "backward"):
        times = [float(layer[key].removesuffix("us")) for layer in workload["layers"]]
        if min(times) < 0 or sum(times) <= 0:
            wrong.append(f"workload.json: the {key} pass takes no time")


def _check_points(folder, index, wrong):
    if index.get("format") != "gradflight-gradients" or index.get("version") not in FILES:
        wrong.append("gradients/index.json: not format gradflight-gradients, version 1 or 2")
    elif index["files"] != FILES[index["version"]]:
        wrong.append(f"gradients/index.json: files of version {index['version']} are {FILES[index['version']]}")
    iterations = [point["iteration"] for point in index["points"]]
    if iterations != sorted(set(iterations)):
        wrong.append("gradients/index.json: points are not in the order of their iterations")
    expected = {index["files"].format(point=point["name"], worker=worker)
                for point in index["points"] for worker in range(index["workers"])}
    present = {str(file.relative_to(folder)) for file in folder.rglob("*.npy*")}
    wrong += [f"gradients/{name}: missing" for name in sorted(expected - present)]
    wrong += [f"gradients/{name}: not in the index" for name in sorted(present - expected)]
    contents = {}
    for name in sorted(expected & present):
        try:
            shape, values = read_npy(folder / name)
        except ValueError as error:
            wrong.append(f"gradients/{name}: {error}")
            continue
        if shape != (index["elements"],):
            wrong.append(f"gradients/{name}: shape {shape}, not ({index['elements']},)")
        if not all(map(math.isfinite, values)):
            wrong.append(f"gradients/{name}: not every value is finite")
        twin = contents.setdefault(values.tobytes(), name)
        if twin != name:
            wrong.append(f"gradients/{name}: the same values as {twin}")


def main(arguments):
    if not arguments:
        print("usage: check.py DIRECTORY...", file=sys.stderr)
        return 2
    failed = False
    for path in arguments:
        wrong = check_directory(path)
        failed |= bool(wrong)
        print(f"{path}: {'inconsistent' if wrong else 'ok'}")
        for line in wrong:
            print(f"  {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
