"""The partitions of the fabric manager, by the vendor's partition tool. Used by lessor-gpu-helper."""

import json
import os
import re
import selectors
import signal
import subprocess
import time

from failure import Failure, one_line

MOST_OUTPUT = 1024 * 1024


def run_tool(words, deadline):
    """Returns (exit code, output, error output). Raises Failure. The tool and what it started are gone afterwards."""
    pipe = subprocess.PIPE
    try:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise Failure("fabric-failed", f"{words[0]} cannot be started: {error.strerror}") from None
    until = time.monotonic() + deadline
    kept = {child.stdout: b"", child.stderr: b""}
    try:
        with selectors.DefaultSelector() as selector:
            for stream in kept:
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                ready = selector.select(max(0, until - time.monotonic()))
                if not ready or time.monotonic() > until:
                    raise Failure("fabric-failed", f"{words[0]} did not end within {deadline} seconds")
                for key, _ in ready:
                    some = os.read(key.fd, 65536)
                    kept[key.fileobj] += some
                    if not some:
                        selector.unregister(key.fileobj)
                if sum(map(len, kept.values())) > MOST_OUTPUT:
                    raise Failure("fabric-failed", f"{words[0]} printed more than 1 MiB")
        code = child.wait(max(0.1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise Failure("fabric-failed", f"{words[0]} did not end within {deadline} seconds") from None
    finally:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.stdout.close()
        child.stderr.close()
    return code, kept[child.stdout].decode(errors="replace"), kept[child.stderr].decode(errors="replace")


class Fabric:
    """The partitions, by a tool with the options of NVIDIA's fmpm."""

    def __init__(self, settings):
        self.tool = settings["fabric_tool"]
        self.version_tool = settings["fabric_version"]
        self.deadline = settings["fabric_deadline_seconds"]

    def version(self):
        """As the fabric manager's program prints it. None: there is no partition tool."""
        if not self.tool:
            return None
        try:
            _, output, errors = run_tool(self.version_tool, self.deadline)
        except Failure:
            return "unknown"
        found = re.search(r"\d+(\.\d+)+", output + errors)
        return found.group() if found else "unknown"

    def partitions(self):
        """Returns partitions of the contract, and addresses of GPUs by module id where the tool tells them."""
        if not self.tool:
            return [], {}
        code, output, errors = run_tool([*self.tool, "-l"], self.deadline)
        if code != 0:
            # What it printed before it failed can be incomplete, or of an earlier time.
            said = one_line(errors or output, 300)
            raise Failure("fabric-failed", f"{self.tool[0]} -l ended with {code}: {said}")
        try:
            told = json.loads(output)["partitionInfo"]
            partitions = [
                {
                    "id": str(int(one["partitionId"])),
                    "gpus": sorted(int(gpu["physicalId"]) for gpu in one["gpuInfo"]),
                    "active": bool(int(one["isActive"])),
                }
                for one in told
            ]
            gpus = [gpu for one in told for gpu in one["gpuInfo"]]
            buses = {str(gpu.get("pciBusId", "")).lower(): int(gpu["physicalId"]) for gpu in gpus}
        except (ValueError, KeyError, TypeError, AttributeError):
            said = one_line(errors or output, 300)
            raise Failure("fabric-failed", f"{self.tool[0]} -l ended with 0 and no list: {said}") from None
        # Its domains have eight digits, those of Linux mostly four.
        return partitions, {re.sub(r"^0000(?=[0-9a-f]{4}:)", "", bus): module for bus, module in buses.items()}

    def set_active(self, wanted, active):
        """Does nothing if it is so. Judges by what the tool lists afterwards. Raises Failure."""
        if not self.tool:
            raise Failure("no-fabric", "no fabric_tool is configured on this host")
        before, _ = self.partitions()
        partition = next((one for one in before if one["id"] == wanted), None)
        if partition is None:
            raise Failure("unknown-partition", f"there is no partition {wanted}")
        if partition["active"] == active:
            return
        taken = [one["id"] for one in before if one["active"] and set(one["gpus"]) & set(partition["gpus"])]
        if active and taken:
            raise Failure("partition-conflict", f"partition {wanted} has GPUs of active partition {', '.join(taken)}")
        code, output, errors = run_tool([*self.tool, "-a" if active else "-d", wanted], self.deadline)
        after, _ = self.partitions()
        expected = [{**one, "active": active} if one["id"] == wanted else one for one in before]
        # A tool that changes another partition has not done what it was asked for either.
        if by_id(after) != by_id(expected):
            said = one_line(errors or output, 300)
            raise Failure("fabric-failed", f"partition {wanted} is not as asked for after exit code {code}: {said}")


def by_id(partitions):
    return {one["id"]: one for one in partitions}
