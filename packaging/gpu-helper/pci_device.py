"""A PCI device as sysfs has it: attributes, the bridge above it, the ways to reset it, the registers.

Used by device_reset.py and by the calls that list GPUs. Reads only.
"""

import os
import re

from failure import Failure

ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
# Of the kernel's names. A change of the power state (pm) resets too little to count.
FUNCTION_METHODS = ("flr", "af_flr", "device_specific", "acpi")
MOST_ATTRIBUTE = 64 * 1024


def read_text(path, missing=None):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_ATTRIBUTE).strip()
    except OSError:
        return missing


class Device:
    """A PCI device, as sysfs has it now."""

    def __init__(self, sysfs, address):
        self.sysfs = sysfs
        self.address = address
        self.path = os.path.join(sysfs, "bus/pci/devices", address)
        self.config = os.path.join(self.path, "config")

    def exists(self):
        return os.path.isdir(self.path)

    def attribute(self, name):
        return read_text(os.path.join(self.path, name), "")

    def link(self, name):
        path = os.path.join(self.path, name)
        return os.path.basename(os.path.realpath(path)) if os.path.islink(path) else None

    def bridge(self):
        """The bridge above it. None: it is on a root bus."""
        parent = os.path.dirname(os.path.realpath(self.path))
        return parent if ADDRESS.fullmatch(os.path.basename(parent)) else None

    def functions(self):
        """All functions of the card, this one among them."""
        slot = self.address.rpartition(".")[0] + "."
        listed = sorted(os.listdir(os.path.join(self.sysfs, "bus/pci/devices")))
        return [Device(self.sysfs, name) for name in listed if name.startswith(slot) and ADDRESS.fullmatch(name)]

    def is_alone(self, bridge):
        """Whether the bridge has no other card below it."""
        slot = self.address.rpartition(".")[0] + "."
        below = [name for name in os.listdir(bridge) if ADDRESS.fullmatch(name)]
        buses = [read_text(os.path.join(bridge, name)) for name in ("secondary_bus_number", "subordinate_bus_number")]
        return all(name.startswith(slot) for name in below) and buses[0] == buses[1]

    def ways_to_reset(self):
        """The preferred one first, each as (method, file to write to, the kernel's method or None)."""
        own = os.path.join(self.path, "reset")
        offered = self.attribute("reset_method").split()
        ways = []
        bridge = self.bridge()
        if bridge is not None and self.is_alone(bridge):
            # "bus" is for a card of one function: the kernel can have offered it before it found the others.
            if "bus" in offered and len(self.functions()) == 1:
                ways.append(("bus", own, "bus"))
            elif os.path.exists(os.path.join(bridge, "reset_subordinate")):
                ways.append(("bus", os.path.join(bridge, "reset_subordinate"), None))
        ways += [("function", own, name) for name in FUNCTION_METHODS if name in offered][:1]
        return ways

    def header(self):
        """The first 64 bytes of its configuration. None: it does not respond."""
        try:
            with open(self.config, "rb", buffering=0) as file:
                header = file.read(64)
        except OSError:
            return None
        return header if len(header) == 64 and header[:2] != b"\xff\xff" else None


def gpus_of(sysfs, classes):
    root = os.path.join(sysfs, "bus/pci/devices")
    try:
        names = sorted(name for name in os.listdir(root) if ADDRESS.fullmatch(name))
    except OSError as error:
        raise Failure("host-failed", f"{root} cannot be read: {error.strerror}") from None
    return [one for one in (Device(sysfs, name) for name in names) if one.attribute("class").startswith(tuple(classes))]
