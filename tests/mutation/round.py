#!/usr/bin/env python3
"""A round of mutation: every kind of file that the program reads, spoilt at random, given to the commands that read it.
Whatever is in a file, a command ends by itself, soon and in bounded memory, with one of its documented exit codes, and
prints and writes finite numbers only.

A mutant is determined by the seed and its number: --seed S --case N runs one again, tells what it ran and keeps it."""
import argparse, collections, csv, json, math, multiprocessing, os, pathlib, random, re, resource, shutil, subprocess, sys, tempfile, time

from mutations import spoil_json
from seeds import COMMANDS, prepare, seeds

CODES = {0, 1, 2, 3, 4}
CPU_SECONDS, WALL_SECONDS, MEMORY = 20, 120, 4 << 30
NOT_FINITE = re.compile(r"(?<![\w./-])[-+]?(nan|inf|infinity)(?![\w./-])", re.IGNORECASE)
TEXT_FILES = (".json", ".csv")
NAMES = ("experiment", "algorithm")  # columns of tables that any word may stand in


class Finding(Exception):
    pass


def names_in(data):
    """What a table has in columns of names: a command may print these words, whatever they are."""
    lines = data.decode(errors="replace").splitlines()
    separator = ";" if lines and lines[0].count(";") > lines[0].count(",") else ","
    try:
        rows = list(csv.DictReader(lines, delimiter=separator))
    except csv.Error:
        return set()
    return {row[name].strip() for row in rows for name in NAMES if row.get(name)}


def only_finite(text, names=frozenset()):
    """In JSON every number is; in other text the words for the others occur only as names."""
    def number(literal):
        value = float(literal)
        if not math.isfinite(value):
            raise Finding(f"prints the number {literal[:40]}")
        return value

    try:
        json.loads(text, parse_constant=number, parse_float=number)
    except ValueError:
        for match in NOT_FINITE.finditer(text):
            if match[0] not in names:
                raise Finding(f"prints {match[0]!r}: {text[max(0, match.start() - 80):match.end() + 40]!r}") from None


class Round:
    def __init__(self, options, scratch):
        self.gradflight, self.seed, self.limit = str(options.gradflight.resolve()), options.seed, options.memory_limit
        self.tree = scratch / "tree"
        prepare(self.gradflight, options.source.resolve(), self.tree)
        self.seeds = seeds(self.tree)
        self.donors = collections.defaultdict(list)
        for seed in self.seeds:
            if seed.path.suffix == ".json" and spoil_json in seed.spoils:
                self.donors[seed.kind].append(seed.data)

    def limited(self):
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.limit:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def place(self, seed, case, data):
        """The mutant in the tree: (file, folder), and what is to be removed."""
        if not seed.folder:
            file = self.tree / seed.path.parent / f"mutant-{case}{''.join(seed.path.suffixes).replace('.gz', '')}"
            file.write_bytes(data)
            return file, file.parent, file
        folder = self.tree / seed.folder.parent / f"mutant-{case}"
        # The mutants of other jobs come and go in the folder meanwhile.
        shutil.copytree(self.tree / seed.folder, folder, ignore=shutil.ignore_patterns("mutant-*"))
        file = folder / seed.path.relative_to(seed.folder)
        file.write_bytes(data)
        return file, folder, folder

    def run(self, words, names):
        try:
            done = subprocess.run([self.gradflight, *words], cwd=self.tree, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=WALL_SECONDS, preexec_fn=self.limited)
        except subprocess.TimeoutExpired:
            raise Finding("takes too long") from None
        told = done.stderr.decode("utf-8", "replace")
        if done.returncode not in CODES:
            raise Finding(f"exit code {done.returncode}: {told[-300:]}")
        only_finite(done.stdout.decode("utf-8", "replace"), names)
        return done.returncode

    def case(self, case, keep=False):
        """(kind of file, exit codes, what is wrong)"""
        rng = random.Random(f"{self.seed}:{case}")
        seed = rng.choice(self.seeds)
        spoil = rng.choice(seed.spoils)
        data = spoil(rng, seed.data, self.donors[seed.kind])
        names = names_in(data) if seed.kind in ("table", "measured") else frozenset()
        file, folder, rest = self.place(seed, case, data)
        commands = rng.choice(COMMANDS[seed.kind])
        codes, wrong = [], ""
        with tempfile.TemporaryDirectory(dir=self.tree) as out:
            try:
                for command in commands.split(" && "):
                    words = command.format(f=file, d=folder, o=out).split()
                    if keep:
                        print("gradflight", *words)
                    codes.append(self.run(words, names))
                    if codes[-1] not in (0, 1, 4):
                        break
                for path in pathlib.Path(out).rglob("*"):
                    if path.suffix in TEXT_FILES:
                        only_finite(path.read_text(errors="replace"), names)
            except Finding as finding:
                wrong = f"case {case} ({spoil.__name__} of {seed.path}): {words[0]}: {finding}"
        if keep:
            kept = shutil.copy(file, "mutant" + file.suffix)
            print(f"of {seed.path}; kept as {kept}")
        (shutil.rmtree if rest.is_dir() else os.unlink)(rest)
        return seed.kind, codes, wrong


def work(numbered):
    return the_round.case(numbered)


def numbers(options):
    """Of the cases: so many, or until the time is over."""
    end, case = time.monotonic() + options.seconds, 0
    while case < options.cases if options.cases else time.monotonic() < end:
        yield case
        case += 1


def main():
    global the_round
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gradflight", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", type=int, default=0, help="so many, however long it takes")
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--no-memory-limit", dest="memory_limit", action="store_false", help="for builds with a sanitizer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gradflight-mutants-") as scratch:
        the_round = Round(options, pathlib.Path(scratch))
        if options.case is not None:
            kind, codes, wrong = the_round.case(options.case, keep=True)
            print(wrong or f"exit codes {codes}")
            return 1 if wrong else 0
        spread, kinds, findings = collections.Counter(), collections.Counter(), []
        with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
            running = collections.deque()
            for number in numbers(options):
                running.append(pool.apply_async(work, (number,)))
                while len(running) > 2 * options.jobs or (running and running[0].ready()):
                    collect(running.popleft().get(), spread, kinds, findings)
            while running:
                collect(running.popleft().get(), spread, kinds, findings)
    total = sum(kinds.values())
    print(f"seed {options.seed}: {total} mutants, {sum(spread.values())} commands; exit codes "
          + ", ".join(f"{code}: {n}" for code, n in sorted(spread.items())))
    print("of " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    print(f"{len(findings)} findings")
    return 1 if findings or total == 0 else 0


def collect(result, spread, kinds, findings):
    kind, codes, wrong = result
    kinds[kind] += 1
    spread.update(codes)
    if wrong:
        findings.append(wrong)
        print(f"FOUND {wrong}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
