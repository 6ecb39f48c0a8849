#!/usr/bin/env python3
"""The Debian package: made, unpacked into an empty folder, and used there as it would be in /usr."""
import argparse, pathlib, sys, tempfile

sys.dont_write_bytecode = True  # in the sources
from checks import hold, ran, wrong

arguments = argparse.ArgumentParser()
for name in ("--cpack", "--build", "--version"):
    arguments.add_argument(name, required=True)
given = arguments.parse_args()

with tempfile.TemporaryDirectory(prefix="with a space ") as scratch:
    root = pathlib.Path(scratch)
    ran(given.cpack, "--config", pathlib.Path(given.build) / "CPackConfig.cmake", "-B", root, cwd=root)
    package = next(root.glob("gradflight_*.deb"))
    hold(package.name.startswith(f"gradflight_{given.version}_"), f"the file is called {package.name}")
    fields = {key: ran("dpkg-deb", "-f", package, key, cwd=root).strip() for key in ("Version", "Depends", "Provides", "Description")}
    hold(fields["Version"] == given.version, f"version {fields['Version']}")
    hold("libsimgrid" in fields["Depends"] and "libc6" in fields["Depends"], f"depends on {fields['Depends']}")
    ran("dpkg-deb", "-x", package, root / "image", cwd=root)
    usr = root / "image/usr"
    hold(ran(usr / "bin/gradflight", "--version", cwd=root) == f"gradflight {given.version}\n", "the program starts")
    ring = usr / "share/gradflight/scenarios/examples/ring.json"
    hold("NICs bound the step" in ran(usr / "bin/gradflight", "run", ring, cwd=root), "the program runs a scenario")
    if list(usr.rglob("_gradflight*.so")):
        hold(fields["Provides"] == "python3-gradflight" and "python3 (<<" in fields["Depends"], "the package names its Python")
        said = ran(sys.executable, "-c", f"import gradflight as g; print(g.run({str(ring)!r})['scenario'])", cwd=root,
                   env={"PYTHONPATH": str(next(usr.rglob("dist-packages"))), "PYTHONDONTWRITEBYTECODE": "1"})
        hold(said == "ring all-reduce\n", "the Python module finds its library")
    # What the workflow for other repositories' CI calls.
    workflow = (usr / "share/doc/gradflight/docs/ci/gradflight-regress.yml").read_text()
    script = "/usr/share/gradflight/ci/gradflight-regress.sh"
    hold(f"sh {script} " in workflow and f"/{package.name}\n" in workflow, "the workflow names what the package has")
    golden = root / "golden"
    golden.mkdir()
    (golden / "ring.json").write_text('{"extends": "%s", "expect": [{"quantity": "time_s", "value": 0.14889}]}' % ring)
    hold("1 number as expected" in ran("sh", usr.parent / script[1:], golden, cwd=root, env={"GRADFLIGHT": str(usr / "bin/gradflight")}), "the script passes")
    hold((root / "gradflight-regress.xml").exists(), "the script writes its report")
for each in wrong:
    print("wrong:", each)
sys.exit(bool(wrong))
