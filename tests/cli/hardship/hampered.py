#!/usr/bin/env python3
"""Commands that write files where they may not or cannot: on a disk with n free pages, for every n up to the one that is
enough; in a folder that they may not write to; with an input that they may not read; with nobody reading what they
print. Whatever hampers them, files are as before or all are complete, nothing else is left, and the exit code says it.
And a sweep that is told to end.

As root this mounts a small tmpfs in a mount namespace of its own (else the limit on a file's size stands in for the full
disk), and where permissions count it acts as nobody: root may do anything."""
import argparse, contextlib, ctypes, os, pathlib, resource, shutil, signal, subprocess, sys, tempfile

from writers import DATA, NOBODY, WRITERS, Report, Stage, contents, differences, is_temporary, wait_until

ROOT = os.geteuid() == 0
AS_ANOTHER = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if ROOT else []
PAGE = 4096
# What only prints; the words after `gradflight`, in tests/cli/data.
PRINTERS = ("check ring.json", "validate ring.json many", "plan ring.json", "explain training", "regress golden",
            "codec stats --codec fp16 gradient.npy", "run ring.json --json", "reproduce toy --packs packs --json",
            "import kineto step.kineto.json", "--help")


def unchanged(now, before):
    return differences(now, before) + [f"{name} is left" for name in now if is_temporary(name)]


def own_mounts():
    """Whether this process may mount: then it has left the machine's mount namespace."""
    if not ROOT or ctypes.CDLL(None).unshare(0x20000) != 0:  # CLONE_NEWNS
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True).returncode == 0


@contextlib.contextmanager
def small_disk(stage):
    """A folder with the stage's files on a disk of its own; None where there is none to be had."""
    point = pathlib.Path(tempfile.mkdtemp(dir=stage.template.parent))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", point], capture_output=True).returncode != 0:
        yield None
        return
    try:
        shutil.copytree(stage.template, point / "here")
        yield point / "here"
    finally:
        subprocess.run(["umount", "--lazy", point], check=True)


def leave_pages(folder, free):
    """Fills the disk but for so many pages."""
    filler = folder.parent / "filler"
    filler.unlink(missing_ok=True)
    with open(filler, "wb", buffering=0) as file:
        with contextlib.suppress(OSError):
            while file.write(bytes(PAGE)):
                pass
    os.truncate(filler, filler.stat().st_size // PAGE * PAGE - free * PAGE)


def judged(done, now, before, after, code, allowed):
    """What is wrong with an end: with the exit code of success all is complete, else it is told and all is as before."""
    if done.returncode == code:
        return differences(now, after)
    problems = [] if done.returncode in allowed else [f"ended with {done.returncode}: {done.stderr}"]
    return problems + ([] if done.stderr else ["it does not say why"]) + unchanged(now, before)


def full_disk(stage, before, after, code, mounts, report):
    name, most = stage.writer.name, 64
    for free in range(most):
        if mounts:
            with small_disk(stage) as folder:
                if folder is None:
                    return full_disk(stage, before, after, code, False, report)
                leave_pages(folder, free)
                done, now = stage.run(folder), contents(folder)
        else:
            size = free * 128
            with stage.folder() as folder:
                done = stage.run(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                now = contents(folder)
        report.case(f"{name}, {free} pages free", judged(done, now, before, after, code, (3,)))
        if done.returncode == code:
            return
    report.case(name, [f"{most} free pages are not enough"] if mounts else [])


def open_to_all(folder, owner):
    for path in (folder, *folder.rglob("*")):
        if ROOT:
            os.chown(path, owner, owner)
        path.chmod(0o755 if path.is_dir() else 0o644)


def permissions(stage, before, report):
    """In a folder that may not be written to; then with each input in turn that may not be read."""
    def ends(folder, name):
        done = subprocess.run([*AS_ANOTHER, stage.gradflight, *stage.writer.words], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1200)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        problems = [] if done.returncode == 2 else [f"ended with {done.returncode}: {done.stderr}"]
        if "Permission denied" not in done.stderr:
            problems.append(f"it does not say why: {done.stderr}")
        report.case(f"{stage.writer.name}, {name}", problems + unchanged(contents(folder), before))

    with stage.folder() as folder:
        open_to_all(folder, 0)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        ends(folder, "read-only folder")
    for file in stage.writer.inputs:
        with stage.folder() as folder:
            open_to_all(folder, NOBODY)
            (folder / file).chmod(0)
            ends(folder, f"{file} unreadable")


def no_reader(stage, after, code, report):
    with stage.folder() as folder:
        done = unread(stage.gradflight, stage.writer.words, folder)
        report.case(f"{stage.writer.name}, closed pipe", ended_well(done, code) + differences(contents(folder), after))


def unread(gradflight, words, folder):
    reader, pipe = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([gradflight, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=pipe,
                              stderr=subprocess.PIPE, text=True, timeout=1200)
    finally:
        os.close(pipe)


def ended_well(done, code):
    problems = [] if done.returncode == code else [f"ended with {done.returncode}: {done.stderr}"]
    return problems + [f"it complains: {line}" for line in done.stderr.splitlines() if "roken pipe" in line]


def lines_in(folder):
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("records.*"))


def processes_of(folder):
    """Those that work in `folder`."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if path.readlink() == folder and (path.parent / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found.append(path.parent.name)
    return found


def ended_sweeps(gradflight, scratch, report):
    """Told to end, alone or with its whole group as by a terminal: it dies of it, nothing runs on, and the same again
    does the rest."""
    def run(words, folder):
        return subprocess.run([gradflight, *words.split()], cwd=folder, capture_output=True, text=True, timeout=1200)

    for name, group in (("TERM", False), ("INT", True), ("KILL", False), ("INT", False)):
        with tempfile.TemporaryDirectory(dir=scratch) as path:
            folder = pathlib.Path(path).resolve()
            shutil.copy(DATA / "ring.json", folder)
            (folder / "slow.json").write_text("""{ "base": "ring.json", "axes": {
                "engine": [{ "shortcuts": false }], "training.iterations": [15], "platform.nodes": [48],
                "workload.tensors.0.bytes": { "range": { "from": "4KB", "to": "480KB", "step": "4KB" } } } }""")
            sweep = subprocess.Popen([gradflight, "sweep", "slow.json", "--out", "s", "--jobs", "2"], cwd=folder,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     start_new_session=True)
            wait_until(lambda: lines_in(folder / "s") >= 10 or sweep.poll() is not None, "ten points")
            number = getattr(signal, f"SIG{name}")
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if group else os.kill)(sweep.pid, number)
            told = sweep.communicate(timeout=1200)[1].decode()
            problems = [] if sweep.returncode == -number and not told else [f"ended with {sweep.returncode}: {told}"]
            wait_until(lambda: not processes_of(folder), "its processes to end")
            done = lines_in(folder / "s")
            if not 10 <= done < 120:
                problems.append(f"{done} of 120 points were done: is it still slow?")
            if (merged := run("merge s", folder)).returncode != 4:
                problems.append(f"merge ended with {merged.returncode}: {merged.stderr}")
            again = run("sweep slow.json --out s", folder)
            if f"120 points done: 120 ok ({done} before)\n" != again.stdout:
                problems.append(f"the same again: {again.stdout}{again.stderr}")
            if (merged := run("merge s", folder)).returncode != 0:
                problems.append(f"the last merge ended with {merged.returncode}: {merged.stderr}")
        report.case(f"sweep, SIG{name}{' to all its processes' if group else ''}", problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradflight", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="writers whose name contains this")
    options = parser.parse_args()
    report = Report()
    mounts = own_mounts()
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        gradflight = str(pathlib.Path(scratch) / "gradflight")
        shutil.copy(options.gradflight, gradflight)  # nobody need not be able to reach the build
        for writer in WRITERS:
            if options.only not in writer.name:
                continue
            stage = Stage(writer, gradflight, scratch)
            before = contents(stage.template)
            with stage.folder() as folder:
                code, after = stage.run(folder).returncode, contents(folder)
            full_disk(stage, before, after, code, mounts, report)
            permissions(stage, before, report)
            no_reader(stage, after, code, report)
        for words in PRINTERS:
            normal = subprocess.run([gradflight, *words.split()], cwd=DATA, capture_output=True, timeout=1200).returncode
            report.case(f"{words}, closed pipe", ended_well(unread(gradflight, words.split(), DATA), normal))
        ended_sweeps(gradflight, scratch, report)
    return report.end(f"hampered commands ({'a small disk' if mounts else 'limits on files'})")


if __name__ == "__main__":
    sys.exit(main())
