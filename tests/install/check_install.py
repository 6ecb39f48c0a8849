#!/usr/bin/env python3
"""Installs into a scratch prefix, moves it, and uses it as strangers would: the program, and the library from a project of theirs."""
import argparse, pathlib, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # in the sources
from checks import hold, ran, wrong

arguments = argparse.ArgumentParser()
for name in ("--cmake", "--build", "--source", "--compiler", "--version", "--flags"):
    arguments.add_argument(name, required=name != "--flags", default="")
given = arguments.parse_args()


def use_program(prefix, empty):
    program, data = prefix / "bin/gradflight", prefix / "share/gradflight"
    hold(ran(program, "--version", cwd=empty) == f"gradflight {given.version}\n", "the version is the project's")
    ran(program, "run", data / "scenarios/examples/ring.json", cwd=empty)
    # The machine is found in the moved prefix, not in the sources: one that only the prefix has.
    machines = data / "platforms/machines"
    shutil.copy(machines / "dgx-a100.json", machines / "only-here.json")
    hold("1048576" in ran(program, "collective", "all_reduce", "--platform", "only-here", "--nodes", 2, "--begin", 1048576, "--end", 1048576,
                          cwd=empty), "the catalogue is found beside the program")
    papers = sorted(p.parent.name for p in (pathlib.Path(given.source) / "scenarios").glob("*/reproduce.json"))
    installed = sorted(p.parent.name for p in (data / "scenarios").glob("*/reproduce.json"))
    hold(papers == installed, f"packs of papers: {installed}, not {papers}")
    ran(program, "reproduce", "3lc", "--json", cwd=empty)
    unlicensed = (pathlib.Path(given.source) / "analysis/measurements/modern/figures-only").read_text().split()
    for file in prefix.rglob("analysis/measurements/**/*"):
        for name in unlicensed:
            hold(name not in file.name, f"{file} has no stated licence")
            if file.is_file() and file.parent.name == "packs":
                hold(name not in file.read_text(), f"{file} reads {name}, which is not installed")


def load_simgrid(prefix, empty):
    """SimGrid takes longer to load than most commands need: only a run on SimGrid loads it, from the moved prefix."""
    program = prefix / "bin/gradflight"
    hold("simgrid" not in ran("ldd", program, cwd=empty), "SimGrid is loaded with the program")
    reference = prefix / "share/gradflight/scenarios/examples/reference-engine.json"
    hold("the same contention" in ran(program, "run", reference, cwd=empty), "the reference engine is found in the moved prefix")
    next(prefix.rglob("gradflight_simgrid.so")).unlink()
    done = subprocess.run([str(program), "run", str(reference)], cwd=empty, capture_output=True, text=True)
    hold(done.returncode == 3 and "SimGrid cannot be loaded: gradflight_simgrid.so" in done.stderr,
         f"without SimGrid: exit {done.returncode}, {done.stderr}")


def install_twice(prefix, empty):
    """A second version below the first one's prefix, as /usr/local is below /usr, does not take the first one's catalogue."""
    inner = prefix / "local/bin"
    inner.mkdir(parents=True)
    shutil.copy(prefix / "bin/gradflight", inner)
    done = subprocess.run([str(inner / "gradflight"), "collective", "all_reduce", "--platform", "dgx-h100"], cwd=empty, capture_output=True,
                          text=True)
    hold(done.returncode == 2 and "the catalogue is missing" in done.stderr, f"another version's catalogue: exit {done.returncode}, {done.stderr}")


def miss_catalogue(prefix, empty):
    """Says so, rather than take that of the sources."""
    for folder in ("platforms", "workloads", "scenarios"):
        shutil.rmtree(prefix / "share/gradflight" / folder)
    for command in (("collective", "all_reduce", "--platform", "dgx-h100"), ("new", "lost.json", "--model", "bert", "--step", "1s"),
                    ("reproduce",)):
        done = subprocess.run([str(prefix / "bin/gradflight"), *command], cwd=empty, capture_output=True, text=True)
        hold(done.returncode == 2 and ("the catalogue is missing" in done.stderr or "no such directory" in done.stderr),
             f"{command[0]} without a catalogue: exit {done.returncode}, {done.stderr}")
        hold(not (empty / "lost.json").exists(), "nothing is written")


def use_manuals(prefix, empty):
    listed = ran(prefix / "bin/gradflight", "--help", cwd=empty)
    for page in ("gradflight", "gradflight-run", "gradflight-codec-encode"):
        text = (prefix / f"share/man/man1/{page}.1").read_text()
        hold(".SH SYNOPSIS" in text and ".SH EXAMPLES" in text, f"{page}.1 has its sections")
    hold("collective" in listed and (prefix / "share/man/man1/gradflight-collective.1").exists(), "a page for each command")
    script = prefix / "share/bash-completion/completions/gradflight"
    ask = f'source "{script}"; COMP_WORDS=(gradflight run --al); COMP_CWORD=2; _gradflight; echo "${{COMPREPLY[@]}}"'
    hold(ran("bash", "-c", ask, cwd=empty) == "--alone\n", "bash completes an option of a command")
    ask = f'source "{script}"; COMP_WORDS=(gradflight codec en); COMP_CWORD=2; _gradflight; echo "${{COMPREPLY[@]}}"'
    hold(ran("bash", "-c", ask, cwd=empty) == "encode\n", "bash completes a command of a command")
    for shell, file in (("zsh", "zsh/vendor-completions/_gradflight"), ("fish", "fish/vendor_completions.d/gradflight.fish")):
        if shutil.which(shell):
            ran(shell, "-n", prefix / "share" / file, cwd=empty)


def use_library(prefix, empty):
    shutil.copytree(pathlib.Path(given.source) / "tests/install/project", empty / "project")
    ran(given.cmake, "-S", "project", "-B", "built", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={given.compiler}",
        f"-DCMAKE_CXX_FLAGS={given.flags}", cwd=empty)
    ran(given.cmake, "--build", "built", cwd=empty)
    hold(ran("built/question", prefix / "share/gradflight", cwd=empty) == f"{given.version}\n", "the library's version is the project's")
    library = next(prefix.rglob("libgradflight.so"))
    names = [line.split(maxsplit=2)[-1] for line in ran("nm", "-DC", "--defined-only", library, cwd=empty).splitlines()]
    foreign = [n for n in names if "gradflight::v1::" not in n and not n.startswith("GRADFLIGHT_")]
    hold(names and not foreign, f"the library shows what is not in its header: {foreign[:5]}")


def use_python(prefix, empty):
    where = next(prefix.rglob("dist-packages"))
    ask = ("import gradflight; r = gradflight.run(__import__('sys').argv[1]); "
           "print(gradflight.__version__, r['scenario']); gradflight.collective('all_reduce', 'dgx-a100', sizes=[1 << 20])")
    said = subprocess.run([sys.executable, "-c", ask, prefix / "share/gradflight/scenarios/examples/ring.json"], cwd=empty, text=True,
                          capture_output=True, env={"PYTHONPATH": str(where), "PYTHONDONTWRITEBYTECODE": "1"})
    hold(said.stdout == f"{given.version} ring all-reduce\n", f"Python finds the library in the prefix: {said.stdout}{said.stderr}")


with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch)
    ran(given.cmake, "--install", given.build, "--prefix", root / "first", cwd=root)
    (root / "first").rename(root / "moved")
    empty = root / "empty"
    empty.mkdir()
    use_program(root / "moved", empty)
    use_manuals(root / "moved", empty)
    if list((root / "moved").rglob("libgradflight.so")):
        use_library(root / "moved", empty)
    if list((root / "moved").rglob("_gradflight*.so")):
        use_python(root / "moved", empty)
    load_simgrid(root / "moved", empty)
    install_twice(root / "moved", empty)
    miss_catalogue(root / "moved", empty)
for each in wrong:
    print("wrong:", each)
sys.exit(bool(wrong))
