"""Trees made up for tests of the tools: a repository of its own in a temporary folder, with one of our tools in it."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


class Tree:
    def __init__(self, tool, files):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.git("init", "--quiet", "--initial-branch=main")
        self.write({f"tools/{tool}": (TOOLS / tool).read_text(encoding="utf-8"), **files})
        self.tool = self.root / "tools" / tool
        shutil.copymode(TOOLS / tool, self.tool)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.folder.cleanup()

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], cwd=self.root, check=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=a step")

    def run(self, *arguments):
        """(exit code, stdout, stderr)"""
        done = subprocess.run([sys.executable, "-B", self.tool, *arguments], cwd="/", capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr
