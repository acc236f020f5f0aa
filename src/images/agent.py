# The agent that reports metrics from inside a guest: every 15 seconds one line of JSON, as docs/reference/guest-metrics.md
# describes it. In the images of this folder as /usr/lib/lessor/agent.py, run by the unit lessor-agent.service. Python 3 and
# its standard library only.
#
# Invariant: it opens no network connection. It writes to a port of the hypervisor, if there is one, and to a file in /run
# that the engine of a cluster reads; a reader that does not read never blocks it.

import errno
import json
import os
import re
import subprocess
import time

EVERY_SECONDS = 15
MOST_BYTES = 8192
REPEAT_XIDS_SECONDS = 600
TOOL_SECONDS = 10
PORT = "/dev/virtio-ports/org.lessor.metrics.0"
FILE = "/run/lessor/metrics"
KERNEL_LOG = "/dev/kmsg"


def cpu_times():
    """Busy and total time of all CPUs since the boot."""
    with open("/proc/stat") as file:
        times = [int(word) for word in file.readline().split()[1:9]]
    idle = times[3] + times[4]
    return sum(times) - idle, sum(times)


def memory():
    sizes = {}
    with open("/proc/meminfo") as file:
        for line in file:
            name, rest = line.split(":", 1)
            sizes[name] = int(rest.split()[0]) // 1024
    return {"memory_used": sizes["MemTotal"] - sizes["MemAvailable"], "memory_size": sizes["MemTotal"]}


def disk():
    root = os.statvfs("/")
    block = root.f_frsize
    return {
        "disk_used": (root.f_blocks - root.f_bfree) * block // 2**20,
        "disk_size": root.f_blocks * block // 2**20,
    }


def output_of(*command):
    """What a program prints; "" if there is none, or it fails or takes too long."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=TOOL_SECONDS)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
    except (OSError, subprocess.SubprocessError):
        return ""


NVIDIA = {
    "gpu_utilization": "utilization.gpu",
    "gpu_memory_used": "memory.used",
    "gpu_memory_size": "memory.total",
    "gpu_temperature": "temperature.gpu",
    "gpu_power": "power.draw",
    "gpu_ecc_errors": "ecc.errors.uncorrected.volatile.total",
}


def nvidia_gpus():
    """The metrics of each GPU, and its PCI address, in the order of the driver."""
    query = ",".join(["pci.bus_id", *NVIDIA.values()])
    text = output_of("nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader,nounits")
    gpus = []
    for line in filter(str.strip, text.splitlines()):
        address, *values = [word.strip() for word in line.split(",")]
        numbers = {name: number(value) for name, value in zip(NVIDIA, values)}
        gpus.append((address, {name: value for name, value in numbers.items() if value is not None}))
    return gpus


ROCM = {
    "gpu_utilization": ("GPU use (%)", 1),
    "gpu_memory_used": ("VRAM Total Used Memory (B)", 2**-20),
    "gpu_memory_size": ("VRAM Total Memory (B)", 2**-20),
    "gpu_temperature": ("Temperature (Sensor junction) (C)", 1),
    "gpu_power": ("Average Graphics Package Power (W)", 1),
}


def rocm_gpus():
    text = output_of("rocm-smi", "--showuse", "--showmeminfo", "vram", "--showtemp", "--showpower", "--json")
    try:
        cards = json.loads(text) if text else {}
    except ValueError:
        return []
    gpus = []
    for card in sorted((name for name in cards if re.fullmatch(r"card\d+", name)), key=lambda name: int(name[4:])):
        values = {name: number(cards[card].get(key)) for name, (key, _) in ROCM.items()}
        gpus.append(("", {name: value * ROCM[name][1] for name, value in values.items() if value is not None}))
    return gpus


def number(text):
    """None for what a driver does not know, such as [N/A]."""
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if 0 <= value < 2**40 else None


class Xids:
    """The errors that NVIDIA's driver wrote into the kernel's log since the agent started, for ten minutes each."""

    def __init__(self):
        self.seen = {}
        try:
            # From here on: what is older was reported by the agent before this one.
            self.log = os.open(KERNEL_LOG, os.O_RDONLY | os.O_NONBLOCK)
            os.lseek(self.log, 0, os.SEEK_END)
        except OSError:
            self.log = None

    def read(self, addresses):
        now = time.monotonic()
        for line in self.lines():
            found = re.search(r"NVRM: Xid \(PCI:([0-9a-fA-F:.]+)\): (\d+)", line)
            gpu = self.gpu_at(found.group(1), addresses) if found else None
            if gpu is not None:
                self.seen[(gpu, int(found.group(2)))] = now
        self.seen = {key: at for key, at in self.seen.items() if now - at < REPEAT_XIDS_SECONDS}
        return [{"gpu": gpu, "xid": xid} for gpu, xid in sorted(self.seen)][:32]

    def lines(self):
        while self.log is not None:
            try:
                line = os.read(self.log, 8192)
            except OSError as error:
                # EPIPE: messages were overwritten before they were read.
                if error.errno == errno.EPIPE:
                    continue
                return
            if not line:
                return
            yield line.decode("utf-8", "replace")

    @staticmethod
    def gpu_at(address, addresses):
        """The log has 0000:01:00, nvidia-smi 00000000:01:00.0."""
        short = lambda text: text.lower().split(":", 1)[-1].split(".")[0]
        return next((at for at, one in enumerate(addresses) if short(one) == short(address)), None)


def write(line):
    data = line.encode() + b"\n"
    if os.path.exists(PORT):
        try:
            port = os.open(PORT, os.O_WRONLY | os.O_NONBLOCK)
            try:
                os.write(port, data)
            finally:
                os.close(port)
        except OSError:
            pass
    try:
        os.makedirs(os.path.dirname(FILE), exist_ok=True)
        with open(FILE + ".new", "wb") as file:
            file.write(data)
        os.replace(FILE + ".new", FILE)
    except OSError:
        pass


def sample(count, before, xids):
    busy, total = cpu_times()
    cpu = 100 * (busy - before[0]) / max(total - before[1], 1)
    gpus = nvidia_gpus() or rocm_gpus()
    told = {"v": 1, "n": count, "cpu_utilization": round(cpu, 1), **memory(), **disk()}
    told["gpus"] = [{name: round(value, 1) for name, value in values.items()} for _, values in gpus]
    told["xids"] = xids.read([address for address, _ in gpus])
    return json.dumps(told, separators=(",", ":")), (busy, total)


def main():
    before, xids = cpu_times(), Xids()
    # Not at the same time as all others, and another number after each start.
    count = int(time.time())
    due = time.monotonic() + 1
    while True:
        time.sleep(max(0, due - time.monotonic()))
        due = max(due + EVERY_SECONDS, time.monotonic())
        count += 1
        try:
            line, before = sample(count, before, xids)
            if len(line) < MOST_BYTES:
                write(line)
        except (OSError, KeyError, ValueError):
            continue


if __name__ == "__main__":
    main()
