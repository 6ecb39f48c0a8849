#!/usr/bin/env python3
"""A sweep through a real Slurm: munged, slurmctld and three slurmd on this host, without systemd. A job array of shards
runs, one shard is killed, the merge finds the sweep incomplete; it is submitted again with another number of shards, and
the merged bytes are those of an undivided run. A Slurm that the host has of its own is left alone: configuration, key,
state and ports are the test's, and whatever was started is gone at its end.

Prints "skipped: ..." where Slurm is not installed."""
import argparse, ctypes, json, os, pathlib, pwd, shutil, signal, socket, subprocess, sys, tempfile, time

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


def prctl(*words):
    ctypes.CDLL(None).prctl(*words)


def children():
    """Of this process: those that it started, and (main() sees to that) what lost its own parent below it."""
    own = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue  # it has ended meanwhile
        if int(text[text.rindex(")") + 1:].split()[1]) == os.getpid():
            own.append(int(stat.parent.name))
    return own


def end_descendants():
    """With one killed, its children come here: until there are none."""
    while left := children():
        for process in left:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


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
        end_descendants()

    def daemon(self, *words):
        log = open(self.directory / f"{len(self.daemons)}-{words[0]}.log", "wb")
        self.daemons.append(subprocess.Popen([find(words[0]), *map(str, words[1:])], stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, env=self.environment,
                                             preexec_fn=lambda: prctl(1, signal.SIGKILL)))  # PR_SET_PDEATHSIG

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
        d, host, user = self.directory, socket.gethostname(), pwd.getpwuid(os.geteuid()).pw_name
        ports = free_ports(NODES + 1)
        nodes = "\n".join(f"NodeName=node{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[i]} CPUs=1 State=UNKNOWN"
                          for i in range(NODES))
        (d / "slurm.conf").write_text(f"""ClusterName=gradflight
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[NODES]}
AuthType=auth/munge
AuthInfo=socket={d}/munge/socket
CryptoType=crypto/munge
SlurmUser={user}
SlurmdUser={user}
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

        # No plugin above needs control groups. Told which kind, slurmd does not look for them: in a chroot there are none.
        (d / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")

    def output(self, *words, check=False):
        done = subprocess.run([find(words[0]), *words[1:]], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1200)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return done.stdout

    def wait_for(self, condition, what, seconds=300):
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
                              capture_output=True, timeout=1200)
        if done.returncode != 0:
            raise RuntimeError(f"the submission script failed:\n{done.stderr}")
        return next(line.split("=", 1)[1] for line in done.stderr.splitlines() if line.startswith("+ array="))

    def wait_until_empty(self):
        self.wait_for(lambda: not self.output("squeue", "--noheader").strip(), "the queue to empty", 2400)


def lines_in(directory):
    return sum(path.read_bytes().count(b"\n") for path in directory.glob("records.*"))


def expect(condition, what):
    print(("ok: " if condition else "FAILED: ") + what, flush=True)
    condition or sys.exit(1)


def shard_of_task(task, out):
    """The process that works on this task of the job array that writes to `out`, or None."""
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            if b"sweep" in words and os.fsencode(out) in words and f"SLURM_ARRAY_TASK_ID={task}".encode() in (path / "environ").read_bytes().split(b"\0"):
                return int(path.name)
        except OSError:
            continue
    return None


def logs(directory, pattern):
    return "".join(path.read_text() for path in sorted(directory.glob(pattern)))


def write_sweep(source, file):
    """The shipped sweep, with fewer points that take some milliseconds each: a shard can be met at work."""
    sweep = json.loads(source.read_text())
    sweep["base"]["engine"] = {"shortcuts": False}
    sweep["base"]["training"]["iterations"] = 20
    sweep["axes"]["platform.nodes"] = {"range": {"from": 24, "to": 32}}
    file.write_text(json.dumps(sweep))


def test(gradflight, source, scratch):
    def run(*words):
        return subprocess.run([gradflight, *map(str, words)], capture_output=True, text=True)

    sweep, whole, out = scratch / "sweep.json", scratch / "whole", scratch / "out"
    write_sweep(source, sweep)
    expect(run("sweep", sweep, "--out", whole, "--jobs", 2).returncode == 0, "the undivided sweep")
    expect(run("merge", whole).returncode == 0, "its merge")
    total = lines_in(whole)
    (scratch / "slurm").mkdir()
    with Slurm(scratch / "slurm") as slurm:
        print(slurm.output("sinfo", "--Node", "--long"), flush=True)
        job = slurm.submit(run("sweep", sweep, "--out", out, "--slurm", NODES).stdout)
        slurm.wait_for(lambda: shard_of_task(1, out), "the second shard", 600)
        shard, before = shard_of_task(1, out), lines_in(out)
        slurm.wait_for(lambda: lines_in(out) > before and len(list(out.glob("records.*"))) == NODES, "three shards at work", 600)
        os.kill(shard, signal.SIGSTOP)  # so that it is still at work when Slurm comes to kill it
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
    prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: slurmd's supervisors of jobs leave it
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("took too long"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    signal.alarm(2500)
    with tempfile.TemporaryDirectory(prefix="gradflight-slurm-") as name:
        test(options.gradflight.resolve(), options.sweep.resolve(), pathlib.Path(name))


if __name__ == "__main__":
    main()
