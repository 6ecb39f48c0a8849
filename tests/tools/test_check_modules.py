#!/usr/bin/env python3
"""tools/check-modules: finds cycles and includes of higher layers, names the includes, and draws the same twice."""
import unittest

from trees import Tree

LEVELS = {
    "models/a/a.hpp": "",
    "sim/b/b.hpp": '#include "models/a/a.hpp"\n',
    "sim/b/b.cpp": '#include "b.hpp"\n#include <vector>\n',
    "cli/main.cpp": '#include "sim/b/b.hpp"\n',
    "docs/architecture.svg": "",
}
PICTURE = "docs/architecture.svg"


class CheckModules(unittest.TestCase):
    def test_passes_where_there_is_no_cycle(self):
        with Tree("check-modules", LEVELS) as tree:
            self.assertEqual(tree.run(), (0, "", ""))

    def test_finds_a_cycle_of_three(self):
        with Tree("check-modules", {**LEVELS, "models/a/a.hpp": '#include "cli/c.hpp"\n', "cli/c.hpp": ""}) as tree:
            code, _, said = tree.run()
            self.assertEqual(code, 1)
            self.assertIn("a cycle of cli, models/a, sim/b", said)
            self.assertIn("models/a/a.hpp -> cli/c.hpp", said)
            self.assertEqual(tree.run("--check")[0], 1)

    def test_finds_an_include_of_a_higher_layer(self):
        with Tree("check-modules", {**LEVELS, "models/up.hpp": '#include "scenarios/s.hpp"\n', "scenarios/s.hpp": ""}) as tree:
            code, _, said = tree.run()
            self.assertEqual(code, 1)
            self.assertIn("not lower: models/up.hpp -> scenarios/s.hpp", said)

    def test_finds_an_include_of_a_directory_beside_it(self):
        files = {"analysis/explore/e/e.hpp": '#include "analysis/evidence/f/f.hpp"\n', "analysis/evidence/f/f.hpp": ""}
        with Tree("check-modules", {**LEVELS, **files}) as tree:
            code, _, said = tree.run()
            self.assertEqual(code, 1)
            self.assertIn("not lower: analysis/explore/e/e.hpp -> analysis/evidence/f/f.hpp", said)

    def test_finds_a_source_that_cmake_names_but_that_does_not_exist(self):
        cmake = "add_library(a ${PROJECT_SOURCE_DIR}/sim/b/b.cpp\n  ${PROJECT_SOURCE_DIR}/sim/b/gone.cpp ${PROJECT_SOURCE_DIR}/sim/*.cpp)\n"
        with Tree("check-modules", {**LEVELS, "tests/fuzz/CMakeLists.txt": cmake}) as tree:
            self.assertEqual(tree.run(), (1, "", "tests/fuzz/CMakeLists.txt:2: sim/b/gone.cpp does not exist\n"))

    def test_draws_the_same_twice_and_checks_it(self):
        with Tree("check-modules", LEVELS) as tree:
            self.assertEqual(tree.run("--check")[0], 1)
            self.assertEqual(tree.run("--draw")[0], 0)
            drawn = (tree.root / PICTURE).read_text(encoding="utf-8")
            self.assertEqual(drawn.count("<rect"), 1 + 3)
            self.assertEqual(tree.run("--check"), (0, "", ""))
            tree.run("--draw")
            self.assertEqual((tree.root / PICTURE).read_text(encoding="utf-8"), drawn)

    def test_notices_an_include_that_the_picture_lacks(self):
        with Tree("check-modules", LEVELS) as tree:
            tree.run("--draw")
            tree.write({"platforms/p.hpp": '#include "models/a/a.hpp"\n'})
            code, _, said = tree.run("--check")
            self.assertEqual(code, 1)
            self.assertIn("--draw", said)

    def test_lists_the_lowest_first(self):
        with Tree("check-modules", LEVELS) as tree:
            modules = [line.split()[0] for line in tree.run("--list")[1].splitlines()]
            self.assertEqual(modules, ["models/a", "sim/b", "cli"])


if __name__ == "__main__":
    unittest.main()
