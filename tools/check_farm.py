#!/usr/bin/env python3
"""Runs farms on a real Slurm, and lets nodes, tasks, disks and the controller fail while they work.

    cargo build --release && tools/check_farm.py [--binary target/release/twistbase] [--install] [--plain] [--keep FOLDER] [SCENARIO]…

munged, slurmctld and two slurmd, with one core each, are started in a temporary folder as processes of this script, and ended with
it; nothing of a Slurm that is there otherwise is touched. Debian has them as slurm-client, slurmctld, slurmd and munge, which
--install fetches. Where that cannot be done the script says so and runs the same plans through two processes `farm work` side by
side, which it kills the same way; --plain does that at once.

Whatever happened on the way, what is merged in the end has to equal what one process finds, byte for byte where that makes files.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PACKAGES = ["slurm-client", "slurmctld", "slurmd", "munge"]
PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"]
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/sbin"])
NODES = ("n1", "n2")
CONFIG = """
ClusterName=farm
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
# How long a lost task waits before it may start again.
AuthInfo=socket={folder}/munge/socket,cred_expire=10
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
KillWait=5
MessageTimeout=10
TCPTimeout=2
SlurmdTimeout=10
ReturnToService=2
# Plans of more shards are several arrays.
MaxArraySize=8
"""

COSETS = 200
FEW_COSETS = 100
MORE_COSETS = 300
DEPTH = "7"
POSITIONS = 100_000
FEW_POSITIONS = 4000
HEURISTIC = "nx-eo1-ep1-htm"
TABLE = "square1-corners"
# What differs from one run to the next.
TIMES = {"blake3", "seconds", "prepass_seconds", "search_seconds", "finished", "threads", "nodes", "look_ups"}

# Exit statuses.
USAGE, DATA, BUSY, IO = 2, 4, 5, 6


class Failed(Exception):
    """A scenario that did not go as it should have."""


class Skipped(Exception):
    """A scenario that cannot be tried here."""


def expect(condition, text):
    if not condition:
        raise Failed(text)


def wait_for(what, condition, seconds):
    """Waits until something holds; returns it."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(0.1)
    return value


def kill(process):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def own_niceness():
    """A line of shell that makes a task's session as nice as this one; sessions begin with none."""
    group = ""
    with contextlib.suppress(OSError):
        # Empty for a process of no group.
        group = pathlib.Path("/proc/self/autogroup").read_text()
    nice = int(group.rpartition(" nice ")[2] or 0)
    return [f"echo {nice} > /proc/self/autogroup"] if nice > 0 else []


class Cluster:
    """A controller and nodes of Slurm on this machine, in a folder."""

    name = "Slurm"

    def __init__(self, folder, patience):
        self.folder, self.patience = folder, patience
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(folder / "slurm.conf")}
        # So that nothing is taken for a task of a job in which this script may run.
        for name in [name for name in self.environment if name.startswith("SLURM") and name != "SLURM_CONF"]:
            del self.environment[name]
        self.daemons = {}

    def start(self):
        """Starts all of it, and waits until the nodes take work."""
        for name in ("munge", "state", *NODES):
            (self.folder / name).mkdir()
        # munged wants its socket to be reached by all; temporary folders are their owner's.
        for folder in (self.folder.parent, self.folder):
            folder.chmod(0o755)
        key = self.folder / "munge" / "key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))
        port, *ports = free_ports(1 + len(NODES))
        host = socket.gethostname().split(".")[0]
        config = CONFIG.format(host=host, port=port, folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        for node, its_port in zip(NODES, ports):
            config += f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={its_port} CPUs=1 RealMemory={memory}\n"
        config += "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
        (self.folder / "slurm.conf").write_text(config)
        munge = [f"--{name}-file={self.folder}/munge/{name}" for name in ("key", "pid", "log", "seed")]
        self.run_daemon("munged", "munged", "--foreground", f"--socket={self.folder}/munge/socket", *munge)
        self.wait_daemon("munged", (self.folder / "munge" / "socket").exists)
        self.start_controller()
        for node in NODES:
            self.start_node(node)

    def run_daemon(self, name, *command):
        with open(self.folder / f"{name}.out", "ab") as output:
            path = shutil.which(command[0], path=PATH)
            self.daemons[name] = subprocess.Popen(
                [path, *command[1:]], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=self.environment
            )

    def wait_daemon(self, name, condition):
        """Waits until a daemon serves; says why it does not."""

        def serves():
            if (status := self.daemons[name].poll()) is not None:
                raise Failed(f"it ended with status {status}")
            return condition()

        try:
            wait_for("the start", serves, self.patience)
        except Failed as error:
            said = (self.folder / f"{name}.out").read_text(errors="replace").splitlines()
            raise Failed(f"{name}: {error}; it said: {' / '.join(said[-3:])}") from None

    def say(self, *command):
        """What a program of Slurm prints; nothing if the controller does not answer."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def start_controller(self):
        self.run_daemon("slurmctld", "slurmctld", "-D")
        self.wait_daemon("slurmctld", lambda: self.say("squeue", "--noheader") is not None)
        self.say("scontrol", "update", "partitionname=all", "state=up")

    def kill_controller(self):
        # Tasks of which it has not saved that they run it would start once more, and take their nodes out of service ("duplicate
        # jobid"). So no more begin, and a change of the jobs, here of their comments, makes it save them within seconds.
        self.say("scontrol", "update", "partitionname=all", "state=down")
        for job in set((self.say("squeue", "--noheader", "--format=%A") or "").split()):
            self.say("scontrol", "update", f"job={job}", "comment=to be saved")
        saved, changed = self.folder / "state" / "job_state", time.time()

        def is_saved():
            # It is replaced, and is not there in between.
            with contextlib.suppress(FileNotFoundError):
                return saved.stat().st_mtime > changed
            return False

        wait_for("saving the jobs", is_saved, self.patience)
        self.end_daemon("slurmctld", signal.SIGKILL)

    def start_node(self, node):
        self.run_daemon(node, "slurmd", "-D", "-N", node)
        self.wait_daemon(node, lambda: self.node_state(node) in ("idle", "alloc", "mix", "comp"))

    def node_state(self, node):
        # With a star while it does not answer.
        return (self.say("sinfo", "--noheader", "--nodes", node, "--format=%t") or "").strip()

    def kill_node(self, node):
        """A node that is gone, with all that ran on it."""
        steps = self.steps(node)
        self.end_daemon(node, signal.SIGKILL)
        for process in [*steps, *below(steps)]:
            kill(process)

    def end_daemon(self, name, how):
        process = self.daemons.pop(name, None)
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def steps(self, node):
        """The processes that watch over a node's tasks. They leave slurmd, and are known by the log that they write to."""
        log = str(self.folder / f"slurmd-{node}.log")
        return [process for process in processes("slurmstepd") if log in open_files(process)]

    def tasks(self):
        """The processes that work on shards, and their nodes."""
        found = {task: node for node in NODES for task in below(self.steps(node))}
        return {task: node for task, node in found.items() if b"\0work\0" in command_line(task)}

    def submit(self, bench, farm, *options):
        return bench.run("farm", "submit", farm, "--slurm", bench.site, *options, expected=None)

    def resubmit(self, bench, farm):
        return bench.run("farm", "resubmit", farm)

    def wait(self):
        """Waits until no task runs or waits."""
        wait_for("the queue", lambda: self.say("squeue", "--noheader") == "", self.patience)

    def said(self, farm):
        """What the tasks of a farm printed."""
        return "".join(log.read_text(errors="replace") for log in sorted((farm / "logs").glob("*/*.log")))

    def clear(self):
        """Ends what a scenario that failed left, and starts what it killed."""
        for name in ("slurmctld", *NODES):
            if name not in self.daemons:
                self.start_controller() if name == "slurmctld" else self.start_node(name)
        self.say("scancel", f"--user={os.getuid()}")
        self.wait()

    def stop(self):
        """Ends all processes."""
        for node in NODES:
            self.kill_node(node)
        self.end_daemon("slurmctld", signal.SIGTERM)
        self.end_daemon("munged", signal.SIGTERM)


class PlainLoop:
    """Two processes `farm work` side by side, as on two machines without a batch system."""

    name = "the plain loop"

    def __init__(self, patience):
        self.patience = patience
        self.environment = dict(os.environ)
        # By node; with what it was started with.
        self.working = collections.defaultdict(list)

    def start(self):
        pass

    def submit(self, bench, farm, *options):
        options = dict(zip(options[::2], options[1::2]))
        stage = bench.stage if "--stage" in options else None
        for node in NODES:
            self.begin(bench, farm, node, stage)
        return 0, "", ""

    def begin(self, bench, farm, node, stage):
        staged = ["--stage", str(stage / node)] if stage else []
        with open(farm / f"{node}.log", "ab") as output:
            command = [*bench.program, "--threads", "1", "farm", "work", str(farm), *staged]
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        self.working[node].append(process)

    def resubmit(self, bench, farm):
        return self.submit(bench, farm)

    def tasks(self):
        return {each.pid: node for node, some in self.working.items() for each in some if each.poll() is None}

    def wait(self):
        wait_for("the processes", lambda: not self.tasks(), self.patience)

    def said(self, farm):
        return "".join((farm / f"{node}.log").read_text(errors="replace") for node in NODES)

    def kill_node(self, node):
        for process in self.working[node]:
            process.kill()
            process.wait()

    def start_node(self, node):
        pass

    def clear(self):
        for node in NODES:
            self.kill_node(node)

    stop = clear


def free_ports(count):
    """Ports that stay free until a daemon takes them: the system gives such ports to nobody who asks for any."""
    found = []
    for port in range(20_000 + os.getpid() % 8_000, 32_000):
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise Failed("no port is free")


def processes(name):
    """The processes whose command line begins so."""
    numbers = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    return [number for number in numbers if command_line(number).startswith(name.encode())]


def command_line(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def open_files(process):
    files = set()
    with contextlib.suppress(OSError):
        folder = f"/proc/{process}/fd"
        for name in os.listdir(folder):
            # One may be closed meanwhile.
            with contextlib.suppress(OSError):
                files.add(os.readlink(os.path.join(folder, name)))
    return files


def below(some):
    """The processes that others started, and those that these did."""
    children = collections.defaultdict(list)
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                # The name, which may have spaces, ends with the last parenthesis.
                parent = pathlib.Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
                children[int(parent)].append(int(entry))
    found, left = [], list(some)
    while left:
        more = children[left.pop()]
        found += more
        left += more
    return found


class Bench:
    """The program, its tables, and what one process finds."""

    def __init__(self, twistbase, folder, engine, tables):
        self.folder, self.engine = folder, engine
        self.store, self.stage, self.site = folder / "store", folder / "stage", folder / "site.toml"
        self.program = [twistbase, "--store", str(self.store)]
        self.site.write_text(f"setup = {json.dumps(own_niceness())}\n")
        self.found = {}
        self.farms = 0
        self.store.mkdir()
        for table in ("phase1", HEURISTIC, TABLE):
            if tables:
                shutil.copy(os.path.join(tables, f"{table}.redb"), self.store)
            else:
                self.run("build", table)
        # The cosets after H, which U is in: some are close to it, so that levels have positions.
        self.first_coset = json.loads(self.run("coset", "cover", "U", "--json")[1])["number"] + 1

    def range_of(self, count):
        """The options that name the first so many cosets, and how far they are searched."""
        return ["--range", f"{self.first_coset}..{self.first_coset + count}", "-S", DEPTH, "-d", DEPTH]

    def run(self, *arguments, store=None, expected=0, **options):
        """Runs the program; returns exit status, output and errors."""
        command = [self.program[0], "--store", str(store or self.store), "--quiet", *map(str, arguments)]
        done = subprocess.run(command, env=self.engine.environment, capture_output=True, text=True, **options)
        if expected is not None and done.returncode != expected:
            said = (done.stderr or done.stdout).strip()
            raise Failed(f"{' '.join(command)}: exit status {done.returncode}, not {expected}: {said}")
        return done.returncode, done.stdout, done.stderr

    def plan(self, what, *arguments, each):
        self.farms += 1
        farm = self.folder / f"farm{self.farms}-{what}"
        self.run("farm", "plan", what, *arguments, "--shard-items", each, "--to", farm)
        return farm

    def plan_cosets(self, count=FEW_COSETS, each=10):
        return self.plan("cosets", *self.range_of(count), each=each)

    def plan_positions(self, count, each):
        path = self.folder / f"positions-{count}.txt"
        path.write_text("".join(self.positions()[:count]))
        return self.plan("solve", path, "--table", HEURISTIC, each=each)

    def status(self, farm, *options, expected=0):
        return json.loads(self.run("--json", "farm", "status", farm, *options, expected=expected)[1])

    def finish(self, farm):
        """Waits for the tasks, and submits what is missing until all is there; returns how often."""
        for again in range(5):
            self.engine.wait()
            if (status := self.status(farm))["done"] == status["shards"]:
                return again
            self.engine.resubmit(self, farm)
        raise Failed(f"{farm.name} is not done after 5 times: {json.dumps(status)}")

    def at_work(self, farm, nodes=NODES, some=1):
        """Waits until nodes have a shard in hand, some of them with something finished; returns the tasks."""

        def working():
            tasks = self.engine.tasks()
            begun = sum(journal.stat().st_size > 0 for journal in farm.glob("shards/*/*.journal"))
            return tasks if begun >= some and set(tasks.values()) >= set(nodes) else None

        return wait_for("tasks at work", working, self.engine.patience)

    def once(self, name, find):
        if name not in self.found:
            self.found[name] = find()
        return self.found[name]

    def positions(self):
        def draw():
            lines = []
            for seed, walk in enumerate(range(4, 9)):
                count = ["-n", POSITIONS // 5, "--walk", walk, "--seed", seed]
                lines.append(self.run("random", "cube3", *count)[1].splitlines(keepends=True))
            # One of each length after the other, so that any part has all.
            return [line for some in zip(*lines) for line in some]

        return self.once("positions", draw)

    def copies(self):
        """The staged tables."""
        return sorted(self.stage.glob(f"**/{HEURISTIC}.redb"))

    def compare_cosets(self, farm, count=FEW_COSETS):
        """Merges a farm into a store of its own, and compares what that exports with what one process finds."""
        store = farm / "store"
        store.mkdir()
        os.link(self.store / "phase1.redb", store / "phase1.redb")
        self.run("farm", "merge", farm, store=store)
        self.run("farm", "merge", farm, store=store)

        def single():
            alone = self.folder / "alone"
            alone.mkdir()
            os.link(self.store / "phase1.redb", alone / "phase1.redb")
            # A farm keeps results of cosets that lie beyond its depth, too.
            self.run("coset", "run", "--force", *self.range_of(MORE_COSETS), store=alone)
            return self.export(alone)

        found, expected = self.export(store), self.once("cosets", single)
        numbers = range(self.first_coset, self.first_coset + count)
        expect(sorted(found) == list(numbers), f"{len(found)} cosets were merged, not {count}")
        differing = [number for number in numbers if found[number] != expected[number]]
        expect(not differing, f"cosets {differing[:5]} differ from those of one process")

    def export(self, store):
        lines = self.run("coset", "export", "--format", "jsonl", store=store)[1].splitlines()
        return {record["number"]: record for record in map(timeless, map(json.loads, lines))}

    def compare_positions(self, farm, count):
        """Merges a farm into a file, and compares that with the file of one process."""

        def single():
            path = self.folder / "answers.jsonl"
            solve = ["solve", "cube3", "-", "--method", "optimal", "--table", HEURISTIC, "--results", path]
            self.run(*solve, input="".join(self.positions()))
            return answers(path)

        path = farm / "answers.jsonl"
        self.run("farm", "merge", farm, "--output", path)
        again = farm / "again.jsonl"
        self.run("farm", "merge", farm, "--output", again)
        expect(path.read_bytes() == again.read_bytes(), "merged once more, the file differs")
        found, expected = answers(path), self.once("answers", single)
        expect([answer["number"] for answer in found] == list(range(1, count + 1)), "not each position has one answer")
        differing = [ours["number"] for ours, theirs in zip(found, expected) if ours != theirs]
        expect(not differing, f"answers {differing[:5]} differ from those of one process")


def timeless(record):
    """A record without what differs from one run to the next."""
    if isinstance(record, dict):
        return {name: timeless(value) for name, value in record.items() if name not in TIMES}
    return [timeless(value) for value in record] if isinstance(record, list) else record


def answers(path):
    with open(path, encoding="ascii") as lines:
        return sorted(map(timeless, map(json.loads, lines)), key=lambda answer: answer["number"])


def flip_bit(path):
    with open(path, "r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 4]))


def overhead(bench, farm, wall):
    """How long a farm took on all nodes, beside what its shards took: starting tasks, and what was done in vain."""
    work = bench.status(farm)["shard_seconds"]
    ratio = wall * len(NODES) / work
    return f"{wall:.1f} s on {len(NODES)} nodes for {work:.1f} s of work: {ratio - 1:+.0%}"


def cosets(bench):
    """200 cosets to a small depth, over arrays"""
    farm = bench.plan_cosets(COSETS, COSETS // 10)
    began = time.monotonic()
    bench.engine.submit(bench, farm)
    again = bench.finish(farm)
    wall = time.monotonic() - began
    expect(again == 0, "something had to be submitted again")
    if isinstance(bench.engine, Cluster):
        jobs = len(list((farm / "jobs").glob("*.json")))
        expect(jobs == 2, f"ten shards are two arrays where one has eight tasks, not {jobs}")
    bench.compare_cosets(farm, COSETS)
    return overhead(bench, farm, wall)


def positions(bench):
    """100,000 optimal solutions of short positions"""
    farm = bench.plan_positions(POSITIONS, POSITIONS // 8)
    began = time.monotonic()
    bench.engine.submit(bench, farm)
    bench.finish(farm)
    wall = time.monotonic() - began
    bench.compare_positions(farm, POSITIONS)
    return overhead(bench, farm, wall)


def long_tasks(bench):
    """what starting tasks takes beside tasks of some length; only when it is asked for"""
    farm = bench.plan_cosets(4 * COSETS, COSETS)
    began = time.monotonic()
    bench.engine.submit(bench, farm)
    bench.finish(farm)
    return overhead(bench, farm, time.monotonic() - began)


def verify(bench):
    """every row of a table computed anew: the same file, byte for byte"""
    farm, alone = [bench.plan("verify", TABLE, each=each) for each in (23, 90)]
    bench.engine.submit(bench, farm)
    bench.finish(farm)
    bench.run("farm", "work", alone)
    files = []
    for each in (farm, alone):
        bench.run("farm", "merge", each, "--output", each / "check.json")
        files.append((each / "check.json").read_bytes())
    expect(files[0] == files[1], "the files differ")
    return f"{len(files[0])} bytes"


def killed_tasks(bench):
    """kill -9 of all running tasks"""
    farm = bench.plan_cosets()
    bench.engine.submit(bench, farm)
    tasks = bench.at_work(farm, some=len(NODES))
    for process in tasks:
        kill(process)
    bench.engine.wait()
    status = bench.status(farm)
    expect(0 < status["shards"] - status["done"] <= len(tasks) + 8, f"{status['done']} shards are done after that")
    again = bench.finish(farm)
    expect(again > 0, "nothing was missing")
    expect(" earlier" in bench.engine.said(farm), "no task went on where a killed one was")
    bench.compare_cosets(farm)
    return f"{len(tasks)} killed, submitted again {again} times"


def killed_node(bench):
    """kill -9 of a node: its slurmd and its tasks"""
    farm = bench.plan_cosets()
    bench.engine.submit(bench, farm)
    bench.at_work(farm)
    lost = NODES[1]
    bench.engine.kill_node(lost)
    noticed = ""
    if isinstance(bench.engine, Cluster):
        began = time.monotonic()
        wait_for("the loss", lambda: bench.engine.node_state(lost).startswith("down"), bench.engine.patience)
        noticed = f"noticed after {time.monotonic() - began:.0f} s, "
        # What it had in hand waits in the queue again.
        report = json.loads(bench.run("--json", "farm", "resubmit", farm)[1])
        expect(report["shards"] == 0, f"resubmit submits what waits: {json.dumps(report)}")
        bench.engine.start_node(lost)
    again = bench.finish(farm)
    bench.compare_cosets(farm)
    return f"{noticed}submitted again {again} times"


def killed_controller(bench):
    """kill -9 of slurmctld, while a farm works"""
    if not isinstance(bench.engine, Cluster):
        raise Skipped("the plain loop has none")
    farm = bench.plan_cosets()
    bench.engine.submit(bench, farm)
    bench.at_work(farm)
    bench.engine.kill_controller()
    _, _, said = bench.run("farm", "resubmit", farm, expected=IO)
    expect("squeue" in said or "scontrol" in said, f"resubmit says {said!r}")
    bench.status(farm)
    bench.engine.start_controller()
    again = bench.finish(farm)
    bench.compare_cosets(farm)
    return f"submitted again {again} times"


@contextlib.contextmanager
def small_disk(folder):
    """A disk that is full soon."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        raise Skipped("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def full_disk(bench):
    """a node whose own disk takes no tables"""
    shutil.rmtree(bench.stage, ignore_errors=True)
    with small_disk(bench.stage / NODES[1]):
        farm = bench.plan_positions(FEW_POSITIONS, FEW_POSITIONS // 4)
        bench.engine.submit(bench, farm, "--stage", f"{bench.stage}/$SLURMD_NODENAME")
        again = bench.finish(farm)
    expect(again == 0, "tasks failed there")
    if isinstance(bench.engine, Cluster):
        expect("cannot stage the tables" in bench.engine.said(farm), "no task says that it reads the tables of the store")
    expect({copy.relative_to(bench.stage).parts[0] for copy in bench.copies()} == {NODES[0]}, "the other node has no copy")
    bench.compare_positions(farm, FEW_POSITIONS)


def flipped_shard(bench):
    """a flipped bit in a finished shard"""
    farm = bench.plan_positions(FEW_POSITIONS, FEW_POSITIONS // 4)
    bench.engine.submit(bench, farm)
    bench.finish(farm)
    flip_bit(farm / "shards" / "000" / "0000002.zst")
    status = bench.status(farm, "--check", expected=DATA)
    expect(status["damaged"] == 1 and status["to_do"] == [2], f"status --check found {json.dumps(status)}")
    _, _, said = bench.run("farm", "merge", farm, "--output", farm / "refused.jsonl", expected=DATA)
    expect("shard 2" in said and not (farm / "refused.jsonl").exists(), f"merge says {said!r}")
    bench.engine.resubmit(bench, farm)
    bench.engine.wait()
    status = bench.status(farm, "--check")
    expect(status["done"] == status["shards"], "it was not done again")
    bench.compare_positions(farm, FEW_POSITIONS)


def flipped_stage(bench):
    """a flipped bit in a staged table"""
    stage = ["--stage", f"{bench.stage}/$SLURMD_NODENAME"]
    shutil.rmtree(bench.stage, ignore_errors=True)
    original = (bench.store / f"{HEURISTIC}.redb").read_bytes()
    for _ in range(2):
        farm = bench.plan_positions(FEW_POSITIONS, FEW_POSITIONS // 4)
        bench.engine.submit(bench, farm, *stage)
        again = bench.finish(farm)
        expect(again == 0, "tasks failed")
        copies = bench.copies()
        expect(copies, "nothing was staged")
        expect(all(copy.read_bytes() == original for copy in copies), "a copy differs from the table")
        for copy in copies:
            flip_bit(copy)
    expect("copying a damaged staged table" in bench.engine.said(farm), "no task says so")
    bench.compare_positions(farm, FEW_POSITIONS)
    return f"{len(copies)} copies"


def other_version(bench):
    """a plan of another version of the program"""
    farm = bench.plan_cosets()
    path = farm / "plan.json"
    head, seal = path.read_bytes().splitlines(keepends=True)
    expect(json.loads(seal)["blake3"] == blake3(head), f"the seal of plan.json is {seal!r}")
    plan = json.loads(head)
    plan["creator"] = "twistbase 0.0.1"
    head = json.dumps(plan, separators=(",", ":")).encode() + b"\n"
    seal = json.dumps({**json.loads(seal), "blake3": blake3(head)}, separators=(",", ":")).encode()
    path.write_bytes(head + seal + b"\n")
    for command in ("work", "merge"):
        _, _, said = bench.run("farm", command, farm, expected=DATA)
        expect("twistbase 0.0.1" in said, f"{command} says {said!r}")
    expect(not list(farm.glob("shards/*/*")), "something was done")


def submitted_twice(bench):
    """the same plan submitted twice at the same time"""
    farm = bench.plan_cosets()
    if isinstance(bench.engine, Cluster):
        command = [*bench.program, "farm", "submit", str(farm), "--slurm", str(bench.site)]
        some = [
            subprocess.Popen(command, env=bench.engine.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        said = [each.communicate()[1] for each in some]
        statuses = sorted(each.returncode for each in some)
        expect(statuses in ([0, USAGE], [0, BUSY]), f"exit statuses {statuses}: {said}")
        tasks = (bench.engine.say("squeue", "--noheader", "--array") or "").count("\n")
        expect(tasks <= 10, f"{tasks} tasks for ten shards")
    else:
        bench.engine.submit(bench, farm)
        bench.engine.submit(bench, farm)
    again = bench.finish(farm)
    expect(again == 0, "something was missing")
    bench.compare_cosets(farm)


def time_limit(bench):
    """a time limit that cuts tasks: they keep what is finished, and the next ones go on there"""
    farm = bench.plan_cosets(MORE_COSETS, MORE_COSETS // 2)
    # Slurm looks every 30 s for tasks to tell, so that they hear of it up to 30 s sooner: here not in their first 10 s, in which each
    # finishes something.
    bench.engine.submit(bench, farm, "--time", "1", "--notice", "20")
    # Held, so that however fast this machine is they have something to do when they are told. Slurm wakes whom it tells.
    tasks = bench.at_work(farm, some=len(NODES))
    for process in tasks:
        os.kill(process, signal.SIGSTOP)
    if not isinstance(bench.engine, Cluster):
        for process in tasks:
            os.kill(process, signal.SIGTERM)
            os.kill(process, signal.SIGCONT)
    bench.engine.wait()
    status = bench.status(farm)
    expect(status["interrupted"] == 2, f"after the limit: {json.dumps(status)}")
    kept = [journal.read_bytes().count(b"\n") for journal in farm.glob("shards/*/*.journal")]
    expect(all(kept), f"of what was finished this was kept: {kept}")
    if isinstance(bench.engine, Cluster):
        bench.run("farm", "resubmit", farm, "--time", "60")
    again = bench.finish(farm)
    went_on = bench.engine.said(farm).count(" earlier")
    expect(went_on >= len(NODES), f"{went_on} tasks went on, where others left {kept} cosets")
    bench.compare_cosets(farm, MORE_COSETS)
    return f"{sum(kept)} of {MORE_COSETS} cosets were kept, submitted again {again + 1} times"


SCENARIOS = {
    "cosets": cosets,
    "positions": positions,
    "verify": verify,
    "killed-tasks": killed_tasks,
    "killed-node": killed_node,
    "killed-controller": killed_controller,
    "full-disk": full_disk,
    "flipped-shard": flipped_shard,
    "flipped-stage": flipped_stage,
    "other-version": other_version,
    "submitted-twice": submitted_twice,
    "time-limit": time_limit,
    "long-tasks": long_tasks,
}
LONG = ["long-tasks"]


BLAKE3_START = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
BLAKE3_ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
BLAKE3_MIXES = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def blake3_block(chain, block, number, flags):
    """Eight words of a block of at most 64 bytes; flags: 1 and 2 for the first and last of a chunk, 4 for parents, 8 for the root."""
    words = struct.unpack("<16I", block.ljust(64, b"\0"))
    state = [*chain, *BLAKE3_START[:4], number & 0xFFFFFFFF, number >> 32, len(block), flags]
    for _ in range(7):
        for mix, (a, b, c, d) in enumerate(BLAKE3_MIXES):
            for word, by_d, by_b in ((words[2 * mix], 16, 12), (words[2 * mix + 1], 8, 7)):
                state[a] = (state[a] + state[b] + word) & 0xFFFFFFFF
                state[d] = rotated(state[d] ^ state[a], by_d)
                state[c] = (state[c] + state[d]) & 0xFFFFFFFF
                state[b] = rotated(state[b] ^ state[c], by_b)
        words = [words[at] for at in BLAKE3_ORDER]
    return [state[at] ^ state[at + 8] for at in range(8)]


def rotated(word, by):
    return (word >> by | word << 32 - by) & 0xFFFFFFFF


def blake3(data):
    """The BLAKE3 hash of some bytes, which Python does not have, as hexadecimal digits."""

    def node(some, number, root):
        if len(some) <= 1024:
            chain, blocks = BLAKE3_START, [some[at : at + 64] for at in range(0, len(some), 64)] or [b""]
            for at, block in enumerate(blocks):
                last = at + 1 == len(blocks)
                chain = blake3_block(chain, block, number, (at == 0) | last << 1 | (last and root) << 3)
            return chain
        # The left part is the largest power of two of whole chunks that leaves something.
        left = 1024 << ((len(some) - 1) // 1024).bit_length() - 1
        both = node(some[:left], number, False) + node(some[left:], number + left // 1024, False)
        return blake3_block(BLAKE3_START, struct.pack("<16I", *both), 0, 4 | root << 3)

    return struct.pack("<8I", *node(data, 0, True)).hex()


def install():
    """Installs Slurm from Debian, without starting its services; says whether it is there."""
    policy = pathlib.Path("/usr/sbin/policy-rc.d")
    own = not policy.exists()
    try:
        if own:
            policy.write_text("#!/bin/sh\nexit 101\n")
            policy.chmod(0o755)
        for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
            subprocess.run(["apt-get", "-qq", *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Slurm cannot be installed: {(getattr(error, 'stderr', '') or str(error)).strip().splitlines()[-1]}")
    finally:
        if own:
            with contextlib.suppress(OSError):
                policy.unlink()


def engine(options, folder):
    """What runs the tasks."""

    def missing():
        return [program for program in PROGRAMS if shutil.which(program, path=PATH) is None]

    if options.plain:
        return PlainLoop(options.patience)
    if missing() and options.install:
        install()
    if lacking := missing():
        print(f"No Slurm can be run here ({', '.join(lacking)} not found): the same plans go through the plain loop.")
        return PlainLoop(options.patience)
    cluster = Cluster(folder / "slurm", options.patience)
    cluster.folder.mkdir()
    try:
        cluster.start()
    except (Failed, OSError) as error:
        cluster.stop()
        print(f"No Slurm can be run here ({error}): the same plans go through the plain loop.")
        return PlainLoop(options.patience)
    return cluster


def run(bench, names):
    """Runs scenarios; returns how many failed."""
    failed = 0
    for name in names:
        scenario = SCENARIOS[name]
        began = time.monotonic()
        try:
            outcome, said = "ok", scenario(bench)
        except Skipped as reason:
            outcome, said = "skipped", str(reason)
        except Failed as error:
            outcome, said = "FAILED", str(error)
            failed += 1
            with contextlib.suppress(Failed):
                bench.engine.clear()
        seconds = time.monotonic() - began
        print(f"{name:<18} {outcome:<8} {seconds:6.1f} s  {scenario.__doc__}{f': {said}' if said else ''}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", nargs="*", metavar="SCENARIO", help=f"which [default: all]: {', '.join(SCENARIOS)}")
    parser.add_argument("--binary", default="target/release/twistbase", help="the program [default: target/release/twistbase]")
    parser.add_argument("--install", action="store_true", help="install Slurm from Debian if it is not there (as root)")
    parser.add_argument("--plain", action="store_true", help="without Slurm")
    parser.add_argument("--keep", metavar="FOLDER", help="work in this new folder, and leave it")
    parser.add_argument("--tables", metavar="STORE", help="copy the tables from a store instead of building them")
    parser.add_argument("--patience", metavar="SECONDS", type=int, default=300, help="how long tasks may take [default: 300]")
    options = parser.parse_args()
    names = options.scenario or [name for name in SCENARIOS if name not in LONG]
    if unknown := [name for name in names if name not in SCENARIOS]:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    twistbase = os.path.abspath(options.binary)
    for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        # The way out is the same as that of an error.
        signal.signal(each, lambda number, _: sys.exit(128 + number))
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        if options.keep:
            folder = pathlib.Path(options.keep).absolute()
            folder.mkdir(parents=True)
        else:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="farm")))
        tasks = engine(options, folder)
        stack.callback(tasks.stop)
        bench = Bench(twistbase, folder, tasks, options.tables)
        failed = run(bench, names)
    took = time.monotonic() - began
    print(f"{len(names) - failed} of {len(names)} scenarios went well with {tasks.name}, in {took:.0f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
