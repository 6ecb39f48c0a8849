"""The Python module as its users call it: the same answers as the program's, all mistakes, other threads go on."""
import json
import os
import pathlib
import pickle
import subprocess
import threading

import gradflight as gf
import pytest

SOURCE = pathlib.Path(os.environ["GRADFLIGHT_SOURCE"])
EXAMPLES = SOURCE / "scenarios/examples"
RING = EXAMPLES / "ring.json"


def program(*arguments):
    return subprocess.run([os.environ["GRADFLIGHT_PROGRAM"], *map(str, arguments)], cwd=SOURCE, capture_output=True, text=True)


def test_a_result_is_what_the_program_prints():
    result = gf.run(RING)
    assert result.json == program("run", RING, "--json").stdout
    assert result.summary == program("run", RING).stdout
    assert result.time_s == result["time_s"] == pytest.approx(0.14889, rel=1e-12)
    assert result.iteration_time_s == result["iteration_time_s"]
    assert abs(result["closed_form.relative_error"]) < 1e-12
    assert result["links.0.name"] == result["links"][0]["name"]
    assert "closed_form" in result and len(result) == len(list(result))
    assert result.summary.splitlines()[0] in result._repr_html_()
    with pytest.raises(KeyError):
        result["closed_form.nothing"]


def test_a_scenario_is_a_path_a_dict_or_what_was_loaded(tmp_path):
    written = json.loads(RING.read_text())
    loaded = gf.load(str(RING), {"platform.nodes": 4})
    assert loaded.name == "ring all-reduce"
    assert loaded.to_dict()["platform"]["nodes"] == 4
    assert gf.run(loaded).json == gf.run(RING, {"platform.nodes": 4}).json
    assert gf.run(written).time_s == gf.run(RING).time_s
    assert gf.run(loaded.to_dict()).time_s == gf.run(loaded).time_s
    with pytest.raises(TypeError):
        gf.load(loaded, {"platform.nodes": 8})
    (tmp_path / "network.json").write_text(json.dumps(written["platform"]))
    apart = {**written, "platform": "network.json"}
    assert gf.run(gf.load(apart, directory=tmp_path)).time_s == gf.run(RING).time_s
    with pytest.raises(gf.InputError):
        gf.run(apart)


def test_settings_keep_their_types():
    slow = gf.run(RING, {"platform.network.link.bandwidth": "5Gbps", "platform.nodes": 2, "training.exchange": {"algorithm": "recursive_doubling"}})
    assert slow["scenario"] == "ring all-reduce"
    assert gf.load(RING, {"name": "16"}).name == "16"


def test_every_mistake_is_told():
    with pytest.raises(gf.InputError) as told:
        gf.run(RING, {"platform.nodes": 0, "training.exchange.algorithm": "rign"})
    mistakes = told.value.mistakes
    assert [m.pointer for m in mistakes] == ["/platform/nodes", "/training/exchange/algorithm"]
    assert 'did you mean "ring"' in mistakes[1].message
    assert isinstance(told.value, ValueError) and all(m.message in str(told.value) for m in mistakes)
    again = pickle.loads(pickle.dumps(told.value))
    assert again.mistakes == mistakes and str(again) == str(told.value)
    for wrong in (lambda: gf.load("no-such.json"), lambda: gf.compare([]), lambda: gf.scale(RING, "platform.nodes", []),
                  lambda: gf.collective("all_reduse", "dgx-a100"), lambda: gf.run({"platform": {}})):
        with pytest.raises(gf.InputError) as told:
            wrong()
        assert told.value.mistakes


def test_a_simulation_that_does_not_end_says_why():
    with pytest.raises(gf.SimulationError, match="limits.simulated_time"):
        gf.run(RING, {"limits.simulated_time": "1ms"})


def test_both_engines():
    assert gf.run(RING, {"engine": "simgrid"}).time_s == pytest.approx(gf.run(RING).time_s, rel=1e-9)


def test_answers():
    compared = gf.compare([RING, gf.load(RING, {"platform.nodes": 16})], jobs=2)
    assert compared["best"] is not None and len(compared["columns"]) == 2
    scaling = gf.scale(EXAMPLES / "ddp-buckets.json", "platform.nodes", [1, 2, 4])
    assert [point["value"] for point in scaling["points"]] == ["1", "2", "4"]
    assert scaling.stops_at is None or scaling.stops_at in ("2", "4")
    advice = gf.advise(RING, {"platform.nodes": 4}, budget_s=5)
    assert advice["bound_by"] and advice["what_if"]
    table = gf.collective("all_reduce", "dgx-a100", nodes=2, sizes=[1 << 20, 1 << 24])
    assert [row["size_bytes"] for row in table["rows"]] == [1 << 20, 1 << 24]


def test_tables():
    pandas = pytest.importorskip("pandas")
    result = gf.run(RING)
    links = result.frame("links")
    assert isinstance(links, pandas.DataFrame) and len(links) == len(result["links"])
    assert result.breakdown().sum() == pytest.approx(result.iteration_time_s)
    with pytest.raises(TypeError, match="Lists: .*links"):
        result.frame("time_s")
    compared = gf.compare([RING, gf.load(RING, {"platform.nodes": 16})]).frame()
    assert compared.loc["iteration_time_s"].iloc[0] == result.iteration_time_s
    assert len(gf.scale(RING, "platform.nodes", [2, 4]).frame()) == 2
    assert gf.collective("all_reduce", "dgx-a100", sizes=[1 << 20]).frame()["size_bytes"].tolist() == [1 << 20]


def test_a_sweep_goes_on_where_it_stopped_and_tells_how_far_it_is(tmp_path):
    file, parts = SOURCE / "analysis/sweeps/ring-or-tree.json", []
    done = gf.sweep(file, tmp_path / "out", progress=parts.append)
    assert done.points > 0 and done.missing == 0 and done.failed == 0
    assert parts == sorted(parts) and parts[-1] == 1
    assert gf.sweep(file, tmp_path / "out").csv == done.csv
    pandas = pytest.importorskip("pandas")
    assert isinstance(done.frame(), pandas.DataFrame) and len(done.frame()) == done.points
    (tmp_path / "file").write_text("")
    with pytest.raises((gf.OutputError, gf.InputError)):
        gf.sweep(file, tmp_path / "file")


def test_what_progress_raises_does_not_stop_a_sweep(tmp_path, recwarn):
    def broken(part):
        raise RuntimeError("not now")

    import sys
    seen, before = [], sys.unraisablehook
    sys.unraisablehook = lambda what: seen.append(what.exc_value)
    try:
        assert gf.sweep(SOURCE / "analysis/sweeps/ring-or-tree.json", tmp_path / "out", progress=broken).missing == 0
    finally:
        sys.unraisablehook = before
    assert seen and all(isinstance(error, RuntimeError) for error in seen)


def test_other_threads_go_on():
    once = gf.run(RING).json
    found = [None] * 4

    def ask(i):
        found[i] = gf.run(RING).json

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [once] * 4

    # A counter beside a long simulation: with the lock held it would stand still.
    counted, over = 0, threading.Event()
    heavy = threading.Thread(target=lambda: (gf.run(RING, {"platform.nodes": 512, "engine": {"shortcuts": False}}), over.set()))
    heavy.start()
    while not over.is_set():
        counted += 1
    heavy.join()
    assert counted > 1000
