#!/usr/bin/env python3
"""tools/list-messages: finds a known text of each kind in the program's sources, and joins the parts of a text."""
import subprocess
import sys
import unittest

from trees import TOOLS, Tree

KNOWN = {
    "error": "scenarios/language/checks/checks.cpp:LINE: a list of jobs needs engine \"hybrid\"",
    "note": "analysis/run/forms/assumption.cpp:LINE: All ranks compute equally fast.",
    "help": "cli/main.cpp:LINE: Simulate a scenario and explain its time",
    "schema": "scenarios/language/tables/tables_workload.cpp:LINE: Number of elements.",
    "report": "analysis/run/text/machine_text.cpp:LINE:   GPUs reach each other over PCIe",
}


def without_line(text):
    path, _, rest = text.split(":", 2)
    return f"{path}:LINE:{rest}"


class ListMessages(unittest.TestCase):
    def listed(self, sources, *arguments):
        with Tree("list-messages", sources) as tree:
            code, out, said = tree.run(*arguments)
            self.assertEqual((code, said), (0, ""))
            return out

    def test_finds_a_known_text_of_each_kind(self):
        for kind, text in KNOWN.items():
            done = subprocess.run([sys.executable, "-B", TOOLS / "list-messages", "--kind", kind], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(text, [without_line(line) for line in done.stdout.splitlines() if line.count(":") > 1], kind)

    def test_joins_literals_and_puts_braces_for_values(self):
        out = self.listed({"sim/a.cpp": 'void f() {\n  fail("the node "\n       "is " + name + " and not far");\n}\n'})
        self.assertIn("Errors (1)\n\nsim/a.cpp:2: the node is {} and not far\n", out)

    def test_skips_comments_single_words_and_code(self):
        out = self.listed({"sim/a.cpp": '// "a comment here"\nauto a = "word", b = "<p class=x>", c = "PRAGMA a b";\n#include "b c.hpp"\n'})
        self.assertEqual(out.count("(0)"), len(KNOWN))

    def test_lists_one_kind_of_single_files(self):
        sources = {"sim/a.cpp": 'auto a = "one text";\n', "sim/b.cpp": 'auto b = "another text";\n'}
        with Tree("list-messages", sources) as tree:
            _, out, _ = tree.run("--kind", "report", str(tree.root / "sim" / "b.cpp"))
        self.assertEqual(out, "Reports, pages and other output (1)\n\nsim/b.cpp:1: another text\n\n")


if __name__ == "__main__":
    unittest.main()
