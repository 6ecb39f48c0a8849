#!/usr/bin/env python3
"""tools/check-texts: finds long sentences and avoided words with their lines, and skips code, tables and generated pages."""
import unittest

from trees import Tree

WORDS_40 = " ".join(["word"] * 40)


class CheckTexts(unittest.TestCase):
    def findings(self, files, *arguments):
        with Tree("check-texts", {"README.md": "# Title\n", **files}) as tree:
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

    def test_leaves_generated_pages_alone(self):
        self.assertEqual(self.findings({"docs/scenario-reference.md": f"{WORDS_40}, whose.\n"}), [])

    def test_takes_another_limit_and_single_files(self):
        files = {"docs/a.md": "One two three four.\n", "docs/b.md": "One two three four.\n"}
        self.assertEqual(len(self.findings(files, "--words", "3")), 2)
        self.assertEqual(self.findings(files), [])


if __name__ == "__main__":
    unittest.main()
