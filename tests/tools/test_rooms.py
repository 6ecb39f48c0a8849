#!/usr/bin/env python3
"""tools/rooms: finds a circle and names the includes that make it, passes where there is none, and draws the same twice."""
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


class Rooms(unittest.TestCase):
    def test_passes_where_there_is_no_circle(self):
        with Tree("rooms", LEVELS) as tree:
            self.assertEqual(tree.run(), (0, "", ""))

    def test_finds_a_circle_of_three(self):
        with Tree("rooms", {**LEVELS, "models/a/a.hpp": '#include "cli/c.hpp"\n', "cli/c.hpp": ""}) as tree:
            code, _, said = tree.run()
            self.assertEqual(code, 1)
            self.assertIn("a circle of cli, models/a, sim/b", said)
            self.assertIn("models/a/a.hpp -> cli/c.hpp", said)
            self.assertEqual(tree.run("--check")[0], 1)

    def test_draws_the_same_twice_and_checks_it(self):
        with Tree("rooms", LEVELS) as tree:
            self.assertEqual(tree.run("--check")[0], 1)
            self.assertEqual(tree.run("--draw")[0], 0)
            drawn = (tree.root / PICTURE).read_text(encoding="utf-8")
            self.assertEqual(drawn.count("<rect"), 1 + 3)
            self.assertEqual(tree.run("--check"), (0, "", ""))
            tree.run("--draw")
            self.assertEqual((tree.root / PICTURE).read_text(encoding="utf-8"), drawn)

    def test_notices_an_include_that_the_picture_lacks(self):
        with Tree("rooms", LEVELS) as tree:
            tree.run("--draw")
            tree.write({"platforms/p.hpp": '#include "models/a/a.hpp"\n'})
            code, _, said = tree.run("--check")
            self.assertEqual(code, 1)
            self.assertIn("--draw", said)

    def test_lists_the_lowest_first(self):
        with Tree("rooms", LEVELS) as tree:
            rooms = [line.split()[0] for line in tree.run("--list")[1].splitlines()]
            self.assertEqual(rooms, ["models/a", "sim/b", "cli"])


if __name__ == "__main__":
    unittest.main()
