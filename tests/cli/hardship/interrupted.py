#!/usr/bin/env python3
"""Commands that write files, stopped at every system call by which they touch the disk (strace counts them): by SIGKILL
at each, by SIGTERM and SIGINT at those that give a file its name. Whatever the moment, each file is as before or
complete, beside at most a temporary of the dead process; and the same command again ends as if nothing had been.

Then a second one at once: the first is held (SIGSTOP) where it gives its first file a name, the second runs to its end,
the first goes on."""
import argparse, collections, os, pathlib, re, signal, subprocess, sys, tempfile

from writers import WRITERS, Report, Stage, contents, differences, environment, untorn, wait_until

NAMING = ("linkat", "rename")
CALLS = (*NAMING, "openat", "mkdir", "write", "pwrite64", "unlink", "fchmod", "ftruncate", "fdatasync", "fsync")


def traced(stage, folder, *options):
    return subprocess.run(["strace", "-f", "-qq", *options, stage.gradflight, *stage.writer.words], cwd=folder,
                          env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1200)


def moments(stage):
    """What a command starts from, what it leaves, its exit code, and (system call, which one of its name) from the first
    by which it changes anything."""
    with stage.folder() as folder:
        before, log = contents(folder), folder.parent / "log"
        done = traced(stage, folder, "-o", str(log), "-e", f"trace={','.join(CALLS)}")
        after, lines = contents(folder), log.read_text().splitlines()
    counts, found = collections.Counter(), []
    for line in lines:
        match = re.match(r"(\d+) +(\w+)\((.*)", line)
        if not match or match[1] != lines[0].split()[0]:  # another process of the command's
            continue
        counts[match[2]] += 1
        if match[2] != "openat" or re.search("O_WRONLY|O_RDWR|O_CREAT", match[3]):
            found.append((match[2], counts[match[2]]))
    return before, after, done.returncode, found


def stopped(stage, moment, name, before, after, code):
    """What is wrong after the command was stopped there, and after it was run again."""
    call, number = moment
    with stage.folder() as folder:
        done = traced(stage, folder, "-e", f"trace={call}", "-e", f"inject={call}:signal={name}:when={number}")
        problems = untorn(contents(folder), before, after)
        if done.returncode != -getattr(signal, f"SIG{name}"):
            problems.append(f"ended with {done.returncode}, not of SIG{name}: {done.stderr}")
        again = stage.run(folder)
        if again.returncode != code:
            problems.append(f"the same again: exit {again.returncode}, not {code}: {again.stderr}")
        problems += [f"after the same again {what}" for what in differences(contents(folder), after)]
    return problems


def child_of(process):
    text = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return int(text[0])


def second_at_once(stage, before, after, code, found):
    call, number = next(moment for moment in found if moment[0] in NAMING)
    with stage.folder() as folder:
        log = folder.parent / "log"
        log.write_text("")
        first = subprocess.Popen(["strace", "-qq", "-o", log, "-e", f"trace={call}", "-e",
                                  f"inject={call}:signal=STOP:when={number}", stage.gradflight, *stage.writer.words],
                                 cwd=folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        wait_until(lambda: first.poll() is not None or "stopped by SIGSTOP" in log.read_text(), "the stop")
        held = child_of(first.pid)
        second = stage.run(folder)
        between = contents(folder)
        os.kill(held, signal.SIGCONT)
        _, told = first.communicate(timeout=1200)
        problems = [] if first.returncode == code else [f"the first ended with {first.returncode}: {told}"]
        refused = second.returncode == 2 and "another process" in second.stderr
        if second.returncode != code and not refused:
            problems.append(f"the second ended with {second.returncode}: {second.stderr}")
        problems += [f"in between {what}" for what in untorn(between, before, after)]
        return problems + differences(contents(folder), after)


def interrupt(stage, report):
    before, after, code, found = moments(stage)
    name = stage.writer.name
    if not any(call in NAMING for call, _ in found):
        report.case(name, ["it gives no file a name: does the trace see it?"])
        return
    for moment in found:
        for how in ("KILL", "TERM", "INT") if moment[0] in NAMING else ("KILL",):
            report.case(f"{name}, SIG{how} at {moment[0]} {moment[1]}", stopped(stage, moment, how, before, after, code))
    report.case(f"{name}, two at once", second_at_once(stage, before, after, code, found))
    print(f"{name}: {len(found)} system calls to stop at", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradflight", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="", help="writers whose name contains this")
    options = parser.parse_args()
    gradflight = str(options.gradflight.resolve())
    try:
        tried = subprocess.run(["strace", "-f", "-qq", "-o", os.devnull, "true"], capture_output=True, text=True)
    except FileNotFoundError:
        print("skipped: no strace")
        return 0
    if tried.returncode != 0:
        print(f"skipped: strace may not trace here: {tried.stderr.strip()}")
        return 0
    report = Report()
    with tempfile.TemporaryDirectory() as scratch:
        for writer in WRITERS:
            if options.only in writer.name:
                interrupt(Stage(writer, gradflight, scratch), report)
    return report.end("interruptions")


if __name__ == "__main__":
    sys.exit(main())
