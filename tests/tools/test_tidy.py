#!/usr/bin/env python3
"""tools/tidy: which sources it looks at after which change."""
import os
import unittest

from trees import Tree

FILES = {
    "models/a.hpp": "",
    "models/a.cpp": '#include "models/a.hpp"\n',
    "sim/b.hpp": '#include "models/only.hpp"\n',
    "sim/b.cpp": '#include "sim/b.hpp"\n',
    "models/only.hpp": "",
    "tests/models/a_test.cpp": '#include "models/a.hpp"\n',
    ".clang-tidy": "",
}
ALL = ["models/a.cpp", "sim/b.cpp"]
os.environ.pop("GRADFLIGHT_TIDY_SINCE", None)


class Tidy(unittest.TestCase):
    def after(self, change, *arguments):
        with Tree("tidy", FILES) as tree:
            tree.commit()
            tree.write(change)
            tree.commit()
            code, named, said = tree.run("--print", *arguments)
            self.assertEqual((code, said), (0, ""))
            return named.split()

    def test_a_changed_source(self):
        self.assertEqual(self.after({"sim/b.cpp": "int b;\n"}), ["sim/b.cpp"])

    def test_a_changed_header_by_its_own_source(self):
        self.assertEqual(self.after({"models/a.hpp": "int a;\n"}), ["models/a.cpp"])

    def test_a_changed_header_by_a_source_that_reaches_it(self):
        self.assertEqual(self.after({"models/only.hpp": "int o;\n"}), ["sim/b.cpp"])

    def test_passes_over_a_file_that_only_moved(self):
        text = "".join(f"int value{i};\n" for i in range(20))
        with Tree("tidy", {**FILES, "sim/old.cpp": '#include "sim/b.hpp"\n// before\n' + text}) as tree:
            tree.commit()
            (tree.root / "sim/old.cpp").unlink()
            tree.write({"models/new.cpp": '#include "models/a.hpp"\n// after\n\n' + text})
            tree.commit()
            self.assertEqual(tree.run("--print")[1].split(), [])
            tree.write({"models/new.cpp": '#include "models/a.hpp"\n' + text.replace("value3;", "other;")})
            self.assertEqual(tree.run("--print", "--since", "HEAD~1")[1].split(), ["models/new.cpp"])

    def test_tests_are_not_looked_at(self):
        self.assertEqual(self.after({"tests/models/a_test.cpp": "int t;\n"}), [])

    def test_all_when_asked(self):
        self.assertEqual(self.after({"sim/b.cpp": "int b;\n"}, "--all"), ALL)

    def test_all_where_there_is_no_commit_before(self):
        with Tree("tidy", FILES) as tree:
            tree.commit()
            self.assertEqual(tree.run("--print")[1].split(), ALL)

    def test_since_a_commit_and_not_committed_yet(self):
        with Tree("tidy", FILES) as tree:
            tree.commit()
            tree.write({"sim/c.cpp": "int c;\n"})
            tree.commit()
            tree.write({"models/a.cpp": "int a;\n", "models/new.cpp": ""})
            self.assertEqual(tree.run("--print", "--since", "HEAD~1")[1].split(), ["models/a.cpp", "models/new.cpp", "sim/c.cpp"])
            os.environ["GRADFLIGHT_TIDY_SINCE"] = "HEAD"
            self.addCleanup(os.environ.pop, "GRADFLIGHT_TIDY_SINCE")
            self.assertEqual(tree.run("--print")[1].split(), ["models/a.cpp", "models/new.cpp"])
            code, _, said = tree.run("--print", "--since", "nowhere")
            self.assertEqual(code, 1)
            self.assertIn("nowhere", said)


if __name__ == "__main__":
    unittest.main()
