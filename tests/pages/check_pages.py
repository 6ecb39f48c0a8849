#!/usr/bin/env python3
"""Every kind of page in a browser: three widths, light and dark, nothing wider than the screen, cut, drawn over something else or
too pale to read, no error, no request to anywhere. Pictures go to --out.

    check_pages.py --gradflight PROGRAM --source DIR --out DIR

Exit code 77: there is no browser here that starts.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

from browser import Browser, NoBrowser

WIDTHS = (("phone", 390, 844), ("tablet", 820, 1180), ("desk", 1400, 900))

# Name, and what makes the page; {out}: where pages go.
PAGES = (
    ("run", ["run", "scenarios/examples/ddp-buckets.json", "--report", "{out}/run.html"]),
    ("run-jobs", ["run", "scenarios/examples/two-jobs.json", "--report", "{out}/run-jobs.html"]),
    ("run-traffic", ["run", "scenarios/examples/incast-beside-ring.json", "--report", "{out}/run-traffic.html"]),
    ("run-failures", ["run", "scenarios/examples/failures.json", "--report", "{out}/run-failures.html"]),
    ("compare", ["compare", "scenarios/examples/ring.json", "--variant", "tree:training.exchange.algorithm=binomial_tree",
                 "--variant", "fast:platform.network.link.bandwidth=100Gbps", "--report", "{out}/compare.html"]),
    ("scale", ["scale", "scenarios/examples/ddp-buckets.json", "--over", "platform.nodes=2,4,8", "--report", "{out}/scale.html"]),
    ("advise", ["advise", "scenarios/examples/ddp-buckets.json", "--budget", "60s", "--report", "{out}/advise.html"]),
    ("collective", ["collective", "all_reduce", "alltoall", "--platform", "dgx-h100", "--nodes", "2", "--begin", "8", "--end", "1GiB",
                    "--factor", "8", "--report", "{out}/collective.html"]),
    ("collective-against", ["collective", "alltoall", "--platform", "dgx-a100", "--nodes", "2", "--against",
                            "tests/cli/data/logs/log-nccl-tests-J.json", "--report", "{out}/collective-against.html"]),
    ("sweep", ["sweep", "analysis/sweeps/own-model.json", "--out", "{out}/sweep"]),
    ("analyze", ["analyze", "{out}/sweep", "--pareto", "busbw,time_s", "--baseline", "p=8", "--report", "{out}/analyze.html"]),
    ("reproduce", ["reproduce", "gtop-k", "--report", "{out}/reproduce.html"]),
    ("measured", ["reproduce", "--measured", "hkbu-contention", "--report", "{out}/measured.html"]),
)


def complaints(events):
    """Errors that a page told, and what it asked for besides itself."""
    found = []
    for event in events:
        method, values = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            found.append("threw " + values["exceptionDetails"].get("text", ""))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning"):
            found.append("console: " + " ".join(str(a.get("value", a.get("description", ""))) for a in values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            found.append("log: " + values["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not values["request"]["url"].startswith(("file:", "data:", "blob:")):
            found.append("asked for " + values["request"]["url"])
    return found


SPOILT = ("px wide on", "too pale", "is cut", "no such place", "drawn over each other", "reaches out of its drawing", "no title",
          "is wider than its place", "console: said an error", "threw", "asked for https://gradflight.invalid")


def blind_spots(browser, measure):
    """What is wrong with a page made to be wrong, and is not found."""
    page = pathlib.Path(__file__).parent / "spoilt.html"
    events = browser.open(page, 390, 844, False)
    found = "\n".join(complaints(events) + browser.value(measure))
    return [f"the check itself does not find: {text}" for text in SPOILT if text not in found]


UNFOLD = """(async () => {
  const folds = [...document.querySelectorAll("details.vega")];
  for (const fold of folds) { fold.hidden = false; fold.open = true; }
  const drawn = () => folds.filter((fold) => fold.querySelector("svg.marks, canvas.marks")).length;
  for (let i = 0; i < 100 && drawn() < folds.length; ++i) await new Promise((done) => setTimeout(done, 50));
  return [folds.length, drawn()];
})()"""


def unfolded(browser, page):
    """Every interactive chart, drawn; what went wrong."""
    events = browser.open(page, 1400, 900, False)
    charts, drawn = browser.value(UNFOLD)
    found = complaints(events + browser.events)
    if drawn < charts:
        found.append(f"{drawn} of {charts} interactive charts are drawn")
    return charts, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gradflight", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--vega", type=pathlib.Path, help="where tools/fetch-vega put the chart libraries: every chart is unfolded, too")
    parser.add_argument("--only", action="append", help="pages by name")
    options = parser.parse_args()
    try:
        browser = Browser()
    except NoBrowser as why:
        print(why)
        return 77
    shutil.rmtree(options.out, ignore_errors=True)
    options.out.mkdir(parents=True)
    measure = (pathlib.Path(__file__).parent / "measure.js").read_text(encoding="utf-8")
    wrong, shown, charts = blind_spots(browser, measure), 0, 0
    plain = {**os.environ, "GRADFLIGHT_VEGA": "nowhere"}
    for name, command in PAGES:
        if options.only and name not in options.only and not (name == "sweep" and "analyze" in options.only):
            continue
        def run(environment):
            return subprocess.run([options.gradflight.resolve(), *(part.format(out=options.out.resolve()) for part in command)],
                                  cwd=options.source, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  check=False)

        done = run(plain)
        if done.returncode:
            wrong.append(f"{name}: exit code {done.returncode}: {done.stderr.strip()}")
            continue
        page = options.out / f"{name}.html"
        if not page.exists():
            continue
        for size, width, height in WIDTHS:
            for scheme in ("light", "dark"):
                events = browser.open(page, width, height, scheme == "dark")
                found = complaints(events) + browser.value(measure)
                browser.picture(options.out / f"{name}-{size}-{scheme}.png")
                shown += 1
                wrong += [f"{name}, {size}, {scheme}: {text}" for text in found]
        if options.vega:
            run({**plain, "GRADFLIGHT_VEGA": str(options.vega.resolve())})
            more, found = unfolded(browser, page)
            charts += more
            wrong += [f"{name}, interactive: {text}" for text in found]
            browser.picture(options.out / f"{name}-interactive.png")
    browser.close()
    for text in wrong:
        print(text)
    print(json.dumps({"pictures": shown, "interactive": charts, "mistakes": len(wrong)}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
