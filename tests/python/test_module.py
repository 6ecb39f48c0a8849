"""The Python module as its users call it: the same answers as the program's, all mistakes, other threads go on."""
import copy
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import gradflight as gf
import pytest

SOURCE = pathlib.Path(os.environ["GRADFLIGHT_SOURCE"])
EXAMPLES = SOURCE / "scenarios/examples"
RING = EXAMPLES / "ring.json"


def program(*arguments):
    return subprocess.run([os.environ["GRADFLIGHT_PROGRAM"], *map(str, arguments)], cwd=SOURCE, capture_output=True, text=True)


def test_items_of_lists_have_the_names_that_expect_takes(tmp_path):
    names = ("links.node3.up.busy_s", "links.3.busy_s", "iterations.19999.end_s", "iterations.4999.end_s", "iterations.15000.end_s")
    result = gf.run(RING, {"training.iterations": 20000})
    assert result["links.node3.up"] == next(link for link in result["links"] if link["name"] == "node3.up")
    assert result["iterations.15000.iteration"] == 15000
    assert "iterations.5000.end_s" not in result and "iterations.14999.end_s" not in result
    expected = [{"quantity": name, "value": result[name]} for name in names]
    file = tmp_path / "golden.json"
    file.write_text(json.dumps({"extends": str(RING), "training": {"iterations": 20000}, "expect": expected}))
    assert program("regress", file).stdout.endswith("5 numbers as expected\n")
    jobs = gf.run(EXAMPLES / "two-jobs.json")
    for i, job in enumerate(jobs["jobs"]):
        assert jobs[f"jobs.{job['name']}.time_s"] == jobs[f"jobs.{i}.time_s"] == job["time_s"]


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
    for name in ("links.0.nothing", "links.-1.name", "links.16.name", "links.node8.up.busy_s", "time_s.x", "iterations.1.end_s", "", 0):
        with pytest.raises(KeyError) as missing:
            result[name]
        assert missing.value.args == (name,)
    copied = result.to_dict()
    assert copied == result.data
    copied.clear()
    assert len(result) > 0


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


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    written = json.loads(RING.read_text())
    written["platform"]["nodes"] = numpy.int32(4)
    written["training"]["iterations"] = numpy.array([1])[0]
    assert gf.run(written).json == gf.run(json.loads(RING.read_text()), {"platform.nodes": 4}).json
    assert gf.run(RING, {"platform.nodes": numpy.int64(4)}).json == gf.run(RING, {"platform.nodes": 4}).json
    assert gf.load(RING, {"training.overlap": numpy.str_("none")}).to_dict()["training"]["overlap"] == "none"
    points = gf.scale(RING, "platform.nodes", numpy.array([2, 4]))["points"]
    assert [point["value"] for point in points] == ["2", "4"]
    sizes = numpy.logspace(20, 22, 3, base=2)
    table = gf.collective("all_reduce", "dgx-a100", nodes=numpy.int64(2), sizes=sizes)
    assert [row["size_bytes"] for row in table["rows"]] == [1 << 20, 1 << 21, 1 << 22]


def test_what_json_has_no_place_for_is_told_at_once():
    odd = {"name": {1, 2}, "platform": {"nodes": float("nan"), 3: "a key"}, "workload": {"tensors": [{"bytes": float("inf")}, b"raw"]}}
    with pytest.raises(gf.InputError) as told:
        gf.run(odd)
    assert [m.pointer for m in told.value.mistakes] == [
        "/name", "/platform/nodes", "/platform", "/workload/tensors/0/bytes", "/workload/tensors/1"]
    assert "/platform/nodes: nan is not a JSON number" in str(told.value) and "{1, 2} (set)" in str(told.value)
    with pytest.raises(gf.InputError) as told:
        gf.run(RING, {"platform.nodes": {8}, 8: "platform.nodes"})
    assert [m.pointer for m in told.value.mistakes] == ["/platform/nodes", ""]


def test_arguments_of_another_kind_are_told_by_name(tmp_path):
    for wrong, name in ((lambda: gf.run(8), "scenario: expected a path, a dict"), (lambda: gf.run(RING, [("platform.nodes", 8)]), "set: "),
                        (lambda: gf.compare(RING), "a list of scenarios"), (lambda: gf.advise(RING, budget_s="5"), "budget_s: "),
                        (lambda: gf.scale(RING, "platform.nodes", [2], jobs=1.5), "jobs: "),
                        (lambda: gf.collective("all_reduce", "dgx-a100", nodes="2"), "nodes: "),
                        (lambda: gf.sweep(RING, tmp_path / "out", progress=3), "progress: ")):
        with pytest.raises(TypeError, match=name):
            wrong()


def test_texts_and_numbers_that_no_file_can_hold_are_told(tmp_path):
    for value in ("\ud800", 10**400, 10**5000, {"a": "\ud800"}, {"\ud800": 1}):
        for wrong in (lambda: gf.load(RING, {"name": value}), lambda: gf.load({"name": value})):
            with pytest.raises(gf.InputError, match="valid Unicode|too large") as told:
                wrong()
            assert "/name" in told.value.mistakes[0].pointer
    for wrong, name in ((lambda: gf.load(RING, {"\ud800": 1}), "a path of `set`"), (lambda: gf.load("a\0b"), "scenario: "),
                        (lambda: gf.load("\ud800"), "scenario: "), (lambda: gf.scale(RING, "\ud800", [1]), "path: "),
                        (lambda: gf.scale(RING, "name", ["\ud800"]), "values: "), (lambda: gf.advise(RING, budget_s=10**400), "budget_s: "),
                        (lambda: gf.compare([RING], jobs=2**40), "jobs: "), (lambda: gf.sweep(b"a\0b", tmp_path), "file: ")):
        with pytest.raises(gf.InputError, match=name) as told:
            wrong()
        assert told.value.mistakes
    for wrong, name in ((lambda: gf.collective(None, "dgx-a100"), "operation: "), (lambda: gf.scale(RING, b"name", [1]), "path: "),
                        (lambda: gf.collective("all_reduce", "dgx-a100", algorithm=None), "algorithm: "),
                        (lambda: gf.collective("all_reduce", None), "platform: ")):
        with pytest.raises(TypeError, match=name + "expected"):
            wrong()


def test_names_of_files_need_not_be_unicode(tmp_path):
    odd = os.path.join(os.fsencode(tmp_path), b"\xff.json")
    for wrong in (lambda: gf.load(odd), lambda: gf.collective("all_reduce", odd), lambda: gf.sweep(odd, tmp_path / "out")):
        with pytest.raises(gf.InputError, match="\ufffd.json"):
            wrong()
    pathlib.Path(os.fsdecode(odd)).write_text('{ "platform": {} }')
    with pytest.raises(gf.InputError) as told:
        gf.load(odd)
    assert all(m.file.endswith("\ufffd.json") for m in told.value.mistakes)
    named = json.loads(RING.read_text())
    del named["name"]
    pathlib.Path(os.fsdecode(odd)).write_text(json.dumps(named))
    assert gf.run(odd).time_s == gf.run(RING).time_s
    assert gf.run(odd)["scenario"] and gf.run(odd).summary and gf.load(odd).name and gf.load(odd).to_dict()


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
    slow = gf.scale(EXAMPLES / "ddp-buckets.json", "platform.nodes", [1, 2, 4], {"platform.network.link.bandwidth": "1Gbps"})
    assert scaling.stops_at is None and slow.stops_at == 2
    advice = gf.advise(RING, {"platform.nodes": 4}, budget_s=5)
    assert advice["bound_by"] and advice["what_if"]
    table = gf.collective("all_reduce", "dgx-a100", nodes=2, sizes=[1 << 20, 1 << 24])
    assert [row["size_bytes"] for row in table["rows"]] == [1 << 20, 1 << 24]


def test_tables():
    pandas = pytest.importorskip("pandas")
    result = gf.run(RING)
    links = result.frame("links")
    assert isinstance(links, pandas.DataFrame) and len(links) == len(result["links"])
    assert result.to_frame("links").equals(links)
    assert result.breakdown().sum() == pytest.approx(result.iteration_time_s)
    with pytest.raises(TypeError, match="Lists: .*links"):
        result.frame("time_s")
    with pytest.raises(KeyError, match="Lists: .*links"):
        result.frame("linsk")
    compared = gf.compare([RING, gf.load(RING, {"platform.nodes": 16})]).frame()
    assert compared.loc["iteration_time_s"].iloc[0] == result.iteration_time_s
    assert len(gf.scale(RING, "platform.nodes", [2, 4]).frame()) == 2
    assert gf.collective("all_reduce", "dgx-a100", sizes=[1 << 20]).frame()["size_bytes"].tolist() == [1 << 20]


def test_numbers_of_a_scale_are_numbers_in_its_frame():
    pytest.importorskip("pandas")
    assert gf.scale(RING, "platform.nodes", [2, 4.0, "8"]).frame()["value"].tolist() == [2, 4, 8]
    rates = gf.scale(RING, "platform.network.link.bandwidth", ["10Gbps", "1Gbps"])
    assert rates.frame()["value"].tolist() == ["10Gbps", "1Gbps"] == [point["value"] for point in rates["points"]]


def test_without_pandas_all_tables_say_what_they_need(tmp_path, monkeypatch):
    result, compared = gf.run(RING), gf.compare([RING, RING])
    swept = gf.sweep(SOURCE / "analysis/sweeps/ring-or-tree.json", tmp_path / "out")
    scaled = gf.scale(RING, "platform.nodes", [2])
    monkeypatch.setitem(sys.modules, "pandas", None)
    for table in (result.frame, result.breakdown, compared.frame, swept.frame, scaled.frame):
        with pytest.raises(ImportError, match="tables need pandas"):
            table()


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

    seen, before = [], sys.unraisablehook
    sys.unraisablehook = lambda what: seen.append(what.exc_value)
    try:
        assert gf.sweep(SOURCE / "analysis/sweeps/ring-or-tree.json", tmp_path / "out", progress=broken).missing == 0
    finally:
        sys.unraisablehook = before
    assert seen and all(isinstance(error, RuntimeError) for error in seen)


def test_an_exit_in_progress_ends_a_sweep(tmp_path):
    with pytest.raises(SystemExit):
        gf.sweep(SOURCE / "analysis/sweeps/ring-or-tree.json", tmp_path / "out", progress=lambda part: sys.exit(1))
    assert no_child_left()


def no_child_left():
    return not pathlib.Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text()


def test_progress_is_told_to_the_end():
    for call in (lambda progress: gf.compare([RING, RING], progress=progress),
                 lambda progress: gf.scale(RING, "platform.nodes", [2, 4, 8], progress=progress),
                 lambda progress: gf.advise(RING, {"platform.nodes": 4}, budget_s=5, progress=progress)):
        parts = []
        call(parts.append)
        assert parts == sorted(parts) and 0 <= parts[0] and parts[-1] == 1


def test_an_interrupt_ends_a_run():
    endless = {"platform.nodes": 64, "engine": {"shortcuts": False}, "training.iterations": 100000, "limits.messages": 1e12}
    main, moment = threading.get_native_id(), threading.Event()

    def ticks():  # of processor that the main thread has taken
        return int(pathlib.Path(f"/proc/self/task/{main}/stat").read_text().rsplit(")", 1)[1].split()[11])

    begun_at = ticks()

    def interrupt():  # while it simulates
        while ticks() < begun_at + 30:
            moment.wait(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    helper = threading.Thread(target=interrupt)
    helper.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        gf.run(RING, {**endless, "limits.wall_time": "120s"})
    helper.join()
    assert time.monotonic() - begun < 60
    assert gf.run(RING).time_s == pytest.approx(0.14889, rel=1e-12)


def test_an_interrupt_ends_calls_with_progress(tmp_path):
    def interrupt(part):
        signal.raise_signal(signal.SIGINT)

    sweep = SOURCE / "analysis/sweeps/ring-or-tree.json"
    for call in (lambda: gf.compare([RING, RING], progress=interrupt),
                 lambda: gf.scale(RING, "platform.nodes", [2, 4, 8], progress=interrupt),
                 lambda: gf.advise(RING, progress=interrupt),
                 lambda: gf.sweep(sweep, tmp_path / "out", progress=interrupt)):
        with pytest.raises(KeyboardInterrupt):
            call()
        assert no_child_left()
    done = gf.sweep(sweep, tmp_path / "out")  # goes on with what was recorded
    assert done.missing == 0 and done.failed == 0


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


def test_texts_of_a_sweep_stay_texts_in_its_frame(tmp_path):
    pytest.importorskip("pandas")
    axis = {"values": [2, 4, 8], "labels": ["NA", "007", "1e3"]}
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps({"base": gf.load(RING).to_dict(), "axes": {"platform.nodes": axis, "training.iterations": [1, 2]}}))
    done = gf.sweep(file, tmp_path / "out")
    frame = done.frame()
    assert frame["platform.nodes"].tolist() == ["NA", "NA", "007", "007", "1e3", "1e3"]
    assert frame["training.iterations"].tolist() == [1, 2] * 3
    assert frame["id"].tolist() == [line.split(",")[1] for line in done.csv.splitlines()[1:]]
    assert frame["time_s"].dtype == float and frame["message"].isna().all()


def test_scenarios_and_answers_can_be_copied_to_other_processes():
    scenario, result = gf.load(RING, {"platform.nodes": 4}), gf.run(RING)
    for again in (pickle.loads(pickle.dumps(scenario)), copy.deepcopy(scenario)):
        assert again.name == scenario.name and gf.run(again).json == gf.run(scenario).json
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert (again.json, again.summary, again.time_s) == (result.json, result.summary, result.time_s)
    assert repr(gf.compare([RING, RING])) == "<gradflight.Comparison of 2: the best is 'ring all-reduce'>"
    scaled = gf.scale(RING, "platform.nodes", [2, 4])
    assert scaled.stops_at is None and repr(scaled) == "<gradflight.Scaling over platform.nodes: 2 points, does not stop>"
    slow = gf.scale(EXAMPLES / "fsdp.json", "platform.nodes", [2, 4], {"platform.network.link.bandwidth": "1Gbps"})
    assert repr(slow).endswith(f": 2 points, stops at {slow['stops_scaling_at']} ranks>") and slow.stops_at is not None
    assert repr(gf.collective("all_reduce", "dgx-a100", sizes=[1024])) == "<gradflight.CollectiveTable of all_reduce among 8 ranks: 1 sizes>"
