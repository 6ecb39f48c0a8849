"""The commands that write files, each in a folder of its own, and what such a folder may hold afterwards."""
import contextlib, os, pathlib, shutil, subprocess, tempfile, time

DATA = pathlib.Path(__file__).parent.parent / "data"
NOBODY = 65534


class Writer:
    """`words` after `gradflight`, run in a folder that holds the copied `files` and what `before` has made there; `inputs`
    are what it cannot do without."""

    def __init__(self, name, words, files, inputs, before=lambda gradflight, folder: None):
        self.name, self.words, self.files, self.before = name, words.split(), files.split(), before
        self.inputs = inputs.split()


def quiet(gradflight, folder, words):
    subprocess.run([gradflight, *words.split()], cwd=folder, check=True, capture_output=True, timeout=1200)


def replaced(file, old, new):
    text = file.read_text()
    assert old in text, f"{file}: no {old}"
    file.write_text(text.replace(old, new))


def moved_goldens(_, folder):
    replaced(folder / "golden/ring.json", "0.14889,", "0.15,")
    replaced(folder / "golden/torus.json", "0.13,", "0.2,")


def swept(gradflight, folder):
    quiet(gradflight, folder, "sweep sweep.json --out s --jobs 1")


def merged_once(gradflight, folder):
    replaced(folder / "sweep.json", '"where"', '"keep": ["messages"], "where"')
    swept(gradflight, folder)
    for name in ("results.sqlite", "results.csv"):
        (folder / "s" / name).write_text("an older table")


def run_before(gradflight, folder):
    quiet(gradflight, folder, "run ring.json --out out")


WRITERS = [
    Writer("run", "run ring.json --out out", "ring.json", "ring.json"),
    Writer("run again", "run ring.json --out out", "ring.json", "ring.json out/scenario.json", run_before),
    Writer("timeline", "run ring.json --set platform.nodes=2 --timeline t.json", "ring.json", "ring.json"),
    Writer("packed timeline", "run ring.json --timeline t.pftrace.gz", "ring.json", "ring.json"),
    Writer("page of a run", "run ring.json --report p.html", "ring.json", "ring.json"),
    Writer("page of a comparison", "compare ring.json --variant two:platform.nodes=2 --report p.html", "ring.json", "ring.json"),
    Writer("page of a scaling", "scale ring.json --over platform.nodes=2,4 --report p.html", "ring.json", "ring.json"),
    Writer("page of advice", "advise ring.json --budget 5min --report p.html", "ring.json", "ring.json"),
    Writer("page of a collective", "collective all_reduce --platform many/cluster.json --end 1MiB --report p.html", "many",
           "many/cluster.json"),
    Writer("import", "import kineto step.kineto.json --out w.json --recorded r.json", "step.kineto.json", "step.kineto.json"),
    Writer("accept", "regress golden --accept --junit a.xml", "ring.json golden many", "ring.json golden/ring.json golden",
           moved_goldens),
    Writer("merge", "merge s", "ring.json sweep.json", "s/sweep.json s", swept),
    Writer("merge again", "merge s", "ring.json sweep.json", "s/sweep.json s", merged_once),
    Writer("analyze", "analyze s --page p.html", "ring.json sweep.json", "s/sweep.json s", swept),
    Writer("encode", "codec encode --codec fp16 gradient.npy g.bin", "gradient.npy", "gradient.npy"),
    Writer("calibrate a pack", "calibrate packs/toy/reproduce.json --write --jobs 1", "packs",
           "packs/toy/reproduce.json packs/toy/ring.json"),
    Writer("reproduce", "reproduce toy --packs packs --report page.html --jobs 1", "packs", "packs/toy/reproduce.json packs"),
]


class Stage:
    """What a writer starts from, made once; each call gives a folder with it."""

    def __init__(self, writer, gradflight, scratch):
        self.writer, self.gradflight = writer, gradflight
        self.template = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        for name in writer.files:
            copy = shutil.copytree if (DATA / name).is_dir() else shutil.copy
            copy(DATA / name, self.template / name)
        writer.before(gradflight, self.template)

    @contextlib.contextmanager
    def folder(self, parent=None):
        path = pathlib.Path(tempfile.mkdtemp(dir=parent or self.template.parent))
        shutil.copytree(self.template, path, dirs_exist_ok=True)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def run(self, folder, **options):
        return subprocess.run([self.gradflight, *self.writer.words], cwd=folder, stdin=subprocess.DEVNULL, timeout=1200,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options})


def contents(folder):
    """Every file's bytes by name. What holds times of day counts as what it is only."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            whole = path.read_bytes()
            found[str(path.relative_to(folder))] = whole if path.name != "meta.json" else whole.rstrip()[-1:] == b"}"
    return found


def is_temporary(name):
    return ".tmp." in name


def untorn(now, before, after):
    """What is wrong with a folder in which a command was stopped: each file must be as before or as after it."""
    wrong = [f"{name} is neither as before nor complete" for name, bytes in now.items()
             if not is_temporary(name) and bytes not in (before.get(name), after.get(name))]
    return wrong + [f"{name} is gone" for name in before if name not in now and name in after]


def differences(now, wanted):
    return [f"{name} {'should not be there' if name not in wanted else 'is missing' if name not in now else 'differs'}"
            for name in sorted(now.keys() | wanted.keys()) if now.get(name) != wanted.get(name)]


class Report:
    def __init__(self):
        self.cases, self.failed = 0, 0

    def case(self, name, problems):
        self.cases += 1
        self.failed += bool(problems)
        for problem in problems:
            print(f"FAILED: {name}: {problem}", flush=True)

    def end(self, what):
        print(f"{self.cases - self.failed} of {self.cases} {what} as they should be")
        return 1 if self.failed else 0


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"waited in vain for {what}")
        time.sleep(0.005)


def environment():
    """Without leak detection, which does not work in a traced process."""
    return {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", "LC_ALL": "C.UTF-8"}
