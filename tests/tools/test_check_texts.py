#!/usr/bin/env python3
"""tools/check-texts: finds long sentences and avoided words with their lines, and skips code, tables and generated pages."""
import unittest

from trees import TOOLS, Tree

WORDS_40 = " ".join(f"wo{a}{b}" for a in "rnmk" for b in "dekmnoprst")


class CheckTexts(unittest.TestCase):
    def findings(self, files, *arguments):
        files = {"README.md": "# Title\n", "tools/list-messages": (TOOLS / "list-messages").read_text(encoding="utf-8"), **files}
        with Tree("check-texts", files) as tree:
            code, out, said = tree.run(*arguments)
            self.assertEqual(out, "")
            self.assertEqual(code, 1 if said else 0)
            return said.splitlines()

    def test_passes_on_short_sentences(self):
        self.assertEqual(self.findings({"docs/a.md": "# A page\n\nThe ring takes 3 ms. See Sec. 2 of the paper.\n"}), [])

    def test_finds_a_long_sentence_at_its_first_line(self):
        found = self.findings({"docs/a.md": f"One. Two\nwords.\n\nShort.\nLong {WORDS_40}\n{WORDS_40}. Short.\n"})
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("docs/a.md:5: a sentence of 81 words, 35 at most: Long word"), found)

    def test_list_items_and_paragraphs_end_sentences(self):
        self.assertEqual(self.findings({"docs/a.md": f"* {WORDS_40[:100]}\n* {WORDS_40[:100]}\n\n{WORDS_40[:100]}\n"}), [])

    def test_inline_code_and_links_count_as_their_reader_sees_them(self):
        self.assertEqual(self.findings({"docs/a.md": f"Write `{WORDS_40}` [here](a-{'b-' * 40}c.md) as it is.\n"}), [])

    def test_an_initial_ends_no_sentence_but_a_name_with_one_letter_does(self):
        self.assertEqual(self.findings({"docs/a.md": f"{WORDS_40[:100]} Cluster-V. {WORDS_40[:100]}.\n"}), [])
        self.assertEqual(len(self.findings({"docs/a.md": f"{WORDS_40[:100]} by E. {WORDS_40[:100]}.\n"})), 1)

    def test_skips_code_tables_headings_and_comments(self):
        text = f"```console\n$ there is {WORDS_40}\n```\n\n| {WORDS_40} |\n| whose |\n\n## Of which {WORDS_40}\n\n<!-- there is\nwhose -->\n"
        self.assertEqual(self.findings({"docs/a.md": text}), [])

    def test_finds_an_avoided_word_in_any_document(self):
        found = self.findings({"docs/papers/b.md": "A page.\n\nThe room\nof a figure, whose error is large.\n"})
        self.assertEqual([line.split(": ")[:2] for line in found], [["docs/papers/b.md:3", "'room'"], ["docs/papers/b.md:4", "'whose'"]])

    def test_finds_a_phrase_that_an_edit_left_twice(self):
        found = self.findings({"docs/a.md": "There, the trace has the trace has too many.\n\nNode by node, byte by byte.\n"})
        self.assertEqual(found, ["docs/a.md:1: 'the trace has' twice in a row"])

    def test_leaves_generated_pages_alone(self):
        self.assertEqual(self.findings({"docs/scenario-reference.md": f"{WORDS_40}, whose.\n"}), [])

    def test_takes_another_limit_and_single_files(self):
        files = {"docs/a.md": "One two three four.\n", "docs/b.md": "One two three four.\n"}
        self.assertEqual(len(self.findings(files, "--words", "3")), 2)
        self.assertEqual(self.findings(files), [])

    def test_finds_long_sentences_and_avoided_words_in_the_program(self):
        text = f'void f() {{\n  fail("{WORDS_40[:100]} "\n       "{WORDS_40[100:]}");\n  fail("the node, whose link");\n}}\n'
        found = self.findings({"sim/a.cpp": text})
        self.assertEqual([line.split(": ")[:2] for line in found],
                         [["sim/a.cpp:2", "a sentence of 40 words, 35 at most"], ["sim/a.cpp:4", "'whose'"]])

    def test_finds_help_with_a_small_letter_but_not_its_errors(self):
        text = 'void f() {\n  c.add_option("--a", a, "of elements");\n  c.add_option("--b", b, "Print it");\n  return "expected one, got ";\n}\n'
        found = self.findings({"cli/a_options.cpp": text})
        self.assertEqual(found, ["cli/a_options.cpp:2: help begins with a small letter: of elements ..."])

    def test_leaves_code_in_the_program_alone(self):
        self.assertEqual(self.findings({"cli/a.cpp": f'auto page = "<p class=x>whose {WORDS_40}";\n'}), [])


if __name__ == "__main__":
    unittest.main()
