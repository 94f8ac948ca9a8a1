"""The costs of a command and all its children: wall time, CPU time, memory, descriptors."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

PAGE = os.sysconf("SC_PAGE_SIZE")
PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Cost:
    """Seconds and bytes. `samples` has (seconds since start, resident bytes, descriptors of the main process)."""

    wall: float
    cpu: float
    peak: int
    exit: int
    bytes_read: int = 0
    samples: list = field(default_factory=list)

    @property
    def busy(self):
        """The average number of busy cores."""
        return self.cpu / self.wall if self.wall else 0.0


def measure(command, cores=None, environment=None, interval=0.02, stdout=None, stderr=None):
    """Runs a command until it ends, on the first `cores` cores (all if None), and adds up the costs of its process
    tree: CPU time from the kernel at each wait, memory by sampling /proc."""
    # Orphans of the command become children of this process, so that their CPU time is counted.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def pin():
        if cores:
            os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:cores]))

    os.sync()  # the command shouldn't wait for earlier writes
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=stdout or subprocess.DEVNULL, stderr=stderr,
        env={**os.environ, **(environment or {})}, start_new_session=True, preexec_fn=pin,
    )  # fmt: skip
    sampler = Sampler(process.pid, start, interval)
    sampler.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except KeyboardInterrupt:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    sampler.stop()
    cpu = usage.ru_utime + usage.ru_stime + orphans()
    return Cost(
        wall, cpu, max(sampler.peak, usage.ru_maxrss * 1024), process.returncode,
        sampler.bytes_read, sampler.samples,
    )  # fmt: skip


def orphans():
    """Waits for children that outlived their parent. Returns their CPU seconds."""
    total = 0.0
    while True:
        try:
            pid, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return total
        total += usage.ru_utime + usage.ru_stime


class Sampler(threading.Thread):
    """Repeatedly adds up the resident memory of a process and its descendants.

    Pages that processes share are counted for each of them, so the sum is an upper bound."""

    def __init__(self, pid, start, interval):
        super().__init__(daemon=True)
        self.pid, self.started, self.interval = pid, start, interval
        self.peak, self.bytes_read, self.samples = 0, 0, []
        self.done = threading.Event()

    def run(self):
        pause, rounds, processes = self.interval, 0, []
        while not self.done.wait(pause):
            # Finding processes and descriptors costs ten times as much as reading their sizes, on cores that the
            # command needs.
            is_whole = rounds % 10 == 0
            processes = tree(self.pid) if is_whole else processes
            rounds += 1
            resident = sum(map(resident_bytes, processes))
            self.peak = max(self.peak, resident)
            if not is_whole:
                continue
            self.bytes_read = max(self.bytes_read, read_characters(self.pid))
            self.samples.append((time.monotonic() - self.started, resident, descriptors(self.pid)))
            # A few thousand samples suffice for long runs.
            if len(self.samples) > 4000:
                self.samples = self.samples[::2]
                pause *= 2

    def stop(self):
        self.done.set()
        self.join()


def tree(root):
    """Returns the process and its descendants."""
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as file:
                    waiting += map(int, file.read().split())
        except OSError:
            continue
    return found


def machine_cpu():
    """Returns the seconds of work of all processors, for any process. It includes what `wait4` misses."""
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq = map(int, file.readline().split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def descriptors(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0


def read_characters(pid):
    try:
        with open(f"/proc/{pid}/io") as file:
            return int(file.readline().split()[1])
    except (OSError, IndexError):
        return 0


def load_note():
    """Returns the load. Prints a warning if the machine is busy, because the figures are less reliable then."""
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"bench: the machine is busy (load {load:.1f}); figures will suffer", file=sys.stderr)
    return load
