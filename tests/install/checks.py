"""Commands and conditions for the checks of an installed program."""
import os
import subprocess
import sys

wrong = []


def ran(*command, cwd, env=None):
    """The command's output. Ends the program with a message if the command fails."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, env={**os.environ, **(env or {})})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def hold(right, what):
    """Remembers `what` in `wrong` unless `right`."""
    if not right:
        wrong.append(what)
