#!/usr/bin/env python3
"""Runs the commands of a transcript and holds what they print against it.

A transcript (*.txt) is a session as a person would see it:

    # a comment, up to the first command and after blank lines
    $ gradflight validate broken.json
    > (a line that continues the command)
    a line of standard output
    ! a line of standard error
    ? 2                                  (the exit code; 0 where not said)

In a *.md file only the ```console blocks count; there standard output and standard error are one, as on a screen, and
any exit code will do. A block after a line `<!-- not run -->` is left alone.

In expected lines [..] stands for any text within the line, a line ... for any number of lines, {version} for the
project's version. Commands run with `sh` in a scratch directory of the transcript's own, which holds copies of the files
of data/ beside this script, and links to the repository's scenarios/, platforms/, workloads/, analysis/ and tests/ and to the build
directory as build/.
"""
import argparse, os, pathlib, re, shutil, subprocess, sys, tempfile


class Step:
    def __init__(self, command, line):
        self.command, self.line = command, line
        self.out, self.err, self.code, self.merged = [], [], 0, False


def parse_txt(text):
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("$ "):
            steps.append(Step(line[2:], number))
        elif line.startswith("#") or not steps:
            continue
        elif line.startswith("> ") and not steps[-1].out and not steps[-1].err:
            steps[-1].command += "\n" + line[2:]
        elif line.startswith("! ") or line == "!":
            steps[-1].err.append(line[2:])
        elif line.startswith("? "):
            steps[-1].code = int(line[2:])
        else:
            steps[-1].out.append(line)
    for step in steps:  # blank lines between steps belong to nobody
        while step.out and not step.out[-1]:
            step.out.pop()
    return steps


def parse_md(text):
    steps, inside, wanted, before = [], False, False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            wanted = not inside and line == "```console" and before != "<!-- not run -->"
            inside = not inside
        elif inside and wanted and line.startswith("$ "):
            steps.append(Step(line[2:], number))
            steps[-1].merged, steps[-1].code = True, None
        elif inside and wanted and steps:
            if steps[-1].command.endswith("\\"):
                steps[-1].command += "\n" + line
            else:
                steps[-1].out.append(line)
        if line:
            before = line
    return steps


def matches(expected, actual):
    """Line by line; a line "..." takes as few lines as lets the rest match."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    pattern = ".*".join(re.escape(part) for part in expected[0].split("[..]"))
    return bool(actual) and re.fullmatch(pattern, actual[0]) is not None and matches(expected[1:], actual[1:])


def lines(data):
    """Blank lines at the end do not count: in a transcript they separate commands."""
    return (data or b"").decode("utf-8", "replace").rstrip("\n").splitlines()


def run(step, directory, environment):
    err = subprocess.STDOUT if step.merged else subprocess.PIPE
    done = subprocess.run(["sh", "-c", step.command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=err, timeout=3000)
    return lines(done.stdout), lines(done.stderr), done.returncode


def show(title, lines):
    print(f"  {title}:")
    for line in lines or ["(nothing)"]:
        print(f"    {line}")


def check(step, directory, environment, version):
    out, err, code = run(step, directory, environment)
    fill = lambda lines: [line.replace("{version}", version) for line in lines]
    good = True
    for title, expected, actual in (("standard output", step.out, out), ("standard error", step.err, err)):
        if not matches(fill(expected), actual):
            good = False
            show(f"{title} should be", expected)
            show(f"{title} is", actual)
    if step.code is not None and step.code != code:
        good = False
        print(f"  exit code should be {step.code}, is {code}")
        show("standard error is", err)
    if not good:
        print(f"line {step.line}: $ {step.command}\n")
    return good


def scratch(source, gradflight, name):
    directory = pathlib.Path(name) / "here"
    shutil.copytree(pathlib.Path(__file__).parent / "data", directory)
    for folder in ("scenarios", "platforms", "workloads", "analysis", "tests"):
        (directory / folder).symlink_to(source / folder)
    (directory / "build").symlink_to(gradflight.parent)
    return directory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gradflight", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("transcript", type=pathlib.Path)
    options = parser.parse_args()
    text = options.transcript.read_text(encoding="utf-8")
    steps = (parse_md if options.transcript.suffix == ".md" else parse_txt)(text)
    if not steps:
        sys.exit(f"{options.transcript}: no command in it")
    gradflight = options.gradflight.resolve()
    environment = {"PATH": f"{gradflight.parent}:{os.environ['PATH']}", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8",
                   "TERM": "xterm", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
    with tempfile.TemporaryDirectory() as name:
        directory = scratch(options.source.resolve(), gradflight, name)
        failed = [step for step in steps if not check(step, directory, environment, options.version)]
    print(f"{options.transcript.name}: {len(steps) - len(failed)} of {len(steps)} commands as written")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
