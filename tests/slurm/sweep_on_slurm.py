#!/usr/bin/env python3
"""A sweep through a real Slurm: munged, slurmctld and three slurmd on this host, without systemd. A job array of shards
runs, one shard is killed, the merge finds the sweep incomplete; it is submitted again with another number of shards, and
the merged bytes are those of an undivided run.

Prints "skipped: ..." where Slurm is not installed or may not be started."""
import argparse, os, pathlib, shutil, signal, socket, subprocess, sys, tempfile, time

NODES = 3
PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_ports(count):
    """Distinct ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Slurm:
    """A cluster whose files all lie in one directory."""

    def __init__(self, directory):
        self.directory, self.daemons = directory, []
        self.environment = {**os.environ, "SLURM_CONF": str(directory / "slurm.conf")}
        for name in list(self.environment):
            if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF":
                del self.environment[name]

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()

    def daemon(self, *words):
        log = open(self.directory / f"{len(self.daemons)}-{words[0]}.log", "wb")
        self.daemons.append(subprocess.Popen([find(words[0]), *map(str, words[1:])], stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, env=self.environment))

    def start(self):
        d = self.directory
        for name in ("state", "munge", *(f"spool-node{i}" for i in range(NODES))):
            (d / name).mkdir()
        subprocess.run([find("mungekey"), "--create", f"--keyfile={d}/munge/key"], check=True)
        self.write_configuration()
        self.daemon("munged", "--foreground", "--force", f"--key-file={d}/munge/key", f"--socket={d}/munge/socket",
                    f"--pid-file={d}/munge/pid", f"--seed-file={d}/munge/seed", f"--log-file={d}/munge/log")
        self.wait_for(lambda: (d / "munge/socket").exists(), "munged")
        self.daemon("slurmctld", "-D", "-f", d / "slurm.conf")
        for i in range(NODES):
            self.daemon("slurmd", "-D", "-N", f"node{i}", "-f", d / "slurm.conf")
        self.wait_for(lambda: self.output("sinfo", "--noheader", "--states=idle", "--format=%D").strip() == str(NODES),
                      "three idle nodes", 60)

    def write_configuration(self):
        d, host = self.directory, socket.gethostname()
        ports = free_ports(NODES + 1)
        nodes = "\n".join(f"NodeName=node{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[i]} CPUs=1 State=UNKNOWN"
                          for i in range(NODES))
        (d / "slurm.conf").write_text(f"""ClusterName=gradflight
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[NODES]}
AuthType=auth/munge
AuthInfo=socket={d}/munge/socket
CryptoType=crypto/munge
SlurmUser=root
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool-%n
SlurmctldPidFile={d}/slurmctld.pid
SlurmdPidFile={d}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=1,sched_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
KillWait=2
MessageTimeout=60
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")

    def output(self, *words, check=False):
        done = subprocess.run([find(words[0]), *words[1:]], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return done.stdout

    def wait_for(self, condition, what, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            if any(daemon.poll() is not None for daemon in self.daemons) or time.monotonic() > end:
                for log in sorted(self.directory.glob("*.log")):
                    print(f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}")
                raise RuntimeError(f"waited in vain for {what}")
            time.sleep(0.1)

    def submit(self, script):
        """The number of the array's job."""
        done = subprocess.run(["sh", "-x"], input=script, env={**self.environment, "PATH": os.environ["PATH"]}, text=True,
                              capture_output=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"the submission script failed:\n{done.stderr}")
        return next(line.split("=", 1)[1] for line in done.stderr.splitlines() if line.startswith("+ array="))

    def wait_until_empty(self):
        self.wait_for(lambda: not self.output("squeue", "--noheader").strip(), "the queue to empty", 240)


def lines_in(directory):
    return sum(path.read_bytes().count(b"\n") for path in directory.glob("records.*"))


def expect(condition, what):
    print(("ok: " if condition else "FAILED: ") + what, flush=True)
    if not condition:
        sys.exit(1)


def logs(directory, pattern):
    return "".join(path.read_text() for path in sorted(directory.glob(pattern)))


def test(gradflight, sweep, scratch):
    def run(*words):
        return subprocess.run([gradflight, *map(str, words)], capture_output=True, text=True)

    whole, out = scratch / "whole", scratch / "out"
    expect(run("sweep", sweep, "--out", whole, "--jobs", 2).returncode == 0, "the undivided sweep")
    expect(run("merge", whole).returncode == 0, "its merge")
    total = lines_in(whole)
    (scratch / "slurm").mkdir()
    with Slurm(scratch / "slurm") as slurm:
        print(slurm.output("sinfo", "--Node", "--long"), flush=True)
        job = slurm.submit(run("sweep", sweep, "--out", out, "--slurm", NODES).stdout)
        slurm.wait_for(lambda: lines_in(out) >= 30 and len(list(out.glob("records.*"))) == NODES, "three shards at work", 60)
        print(slurm.output("squeue"), flush=True)
        slurm.output("scancel", "--signal=KILL", "--full", f"{job}_1", check=True)
        slurm.wait_until_empty()
        done = lines_in(out)
        expect(0 < done < total, f"one of {NODES} shards was killed: {done} of {total} points are done")
        expect("the sweep is incomplete" in logs(out, "slurm-merge-*.log"), "the merge after it says so")

        slurm.submit(run("sweep", sweep, "--out", out, "--slurm", 5).stdout)
        slurm.wait_until_empty()
        expect(lines_in(out) == total, f"5 shards did the other {total - done} and nothing twice")
        for log in sorted(out.glob("slurm-*.log")):
            print(f"  {log.name}: {log.read_text().strip()}")
    for name in ("results.csv", "results.sqlite"):
        expect((whole / name).read_bytes() == (out / name).read_bytes(), f"{name} has the undivided sweep's bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gradflight", type=pathlib.Path, required=True)
    parser.add_argument("--sweep", type=pathlib.Path, required=True)
    options = parser.parse_args()
    missing = [program for program in PROGRAMS if not find(program)]
    if missing:
        print(f"skipped: no {', '.join(missing)} (Debian: slurm-wlm and munge)")
        return
    if os.geteuid() != 0:
        print("skipped: slurmd is started as root")
        return
    signal.alarm(500)
    with tempfile.TemporaryDirectory(prefix="gradflight-slurm-") as name:
        test(options.gradflight.resolve(), options.sweep.resolve(), pathlib.Path(name))


if __name__ == "__main__":
    main()
