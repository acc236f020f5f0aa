"""Resets one device and verifies it, in a process of its own that the kernel may hold for long.

Used by lessor-gpu-helper. Only what is verified is a reset; every other end is a verdict with a code.
"""

import errno
import json
import os
import selectors
import signal
import time

from device_use import hold_groups, refuse_if_open, vfio_files
from failure import Failure, one_line
from pci_device import Device

BUS_MASTER = 4


def write_text(path, text):
    # Not open(): no file is created, and the kernel's error is that of this one write.
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def reset_one(settings, address):
    """Returns (method, detail). Raises Failure. Runs in a process of its own, which the kernel may hold for long."""
    began = time.monotonic()
    until = began + settings["reset_deadline_seconds"]
    device = Device(settings["sysfs"], address)
    if not device.exists():
        raise Failure("unknown-device", f"{address} is not on this host")
    if not device.attribute("class").startswith(tuple(settings["classes"])):
        raise Failure("not-a-gpu", f"{address} is of class {device.attribute('class') or 'unknown'}")
    if not is_quiet([device], settings["drivers"]):
        raise Failure("host-driver", f"{address} is bound to {device.link('driver')}")
    # A bus reset is one of all functions, and a machine that uses one of them has the others too.
    functions = device.functions()
    files = vfio_files(functions)
    refuse_if_open(settings["proc"], files)
    hold_groups(settings["dev"], files)
    ways = [way for way in device.ways_to_reset() if way[0] == "function" or is_quiet(functions, settings["drivers"])]
    if not ways:
        raise Failure("no-reset-method", f"{address} offers {device.attribute('reset_method') or 'none'}")
    before = device.header()
    stop_dma(device)
    for at, (method, file, name) in enumerate(ways):
        try:
            trigger(device, file, name)
        except OSError as error:
            if error.errno == errno.ENOTTY and at + 1 < len(ways):
                continue  # Not possible here, or the link did not come back: verified after the next one only.
            raise Failure("reset-failed", f"{method} reset of {address}: {error.strerror}") from None
        verify(device, before, until)
        what = f"{name or 'reset_subordinate'} of {os.path.basename(os.path.dirname(file))}"
        return method, f"{what}, verified after {time.monotonic() - began:.1f} s"
    raise AssertionError("the last way returns or raises")


def is_quiet(functions, drivers):
    """Whether none has a driver of the host, from under which a reset would pull its device."""
    return all(one.link("driver") in (None, *drivers) for one in functions)


def stop_dma(device):
    """A device that no machine uses writes to no memory, and the kernel restores it so after the reset."""
    header = device.header()
    if header is None or not header[4] & BUS_MASTER:
        return
    try:
        with open(device.config, "r+b", buffering=0) as file:
            file.seek(4)
            file.write(bytes([header[4] & ~BUS_MASTER, header[5]]))
    except OSError as error:
        raise Failure("reset-failed", f"the command register of {device.address}: {error.strerror}") from None


def trigger(device, file, name):
    if name is None:
        return write_text(file, "1")
    chosen = os.path.join(device.path, "reset_method")
    offered = device.attribute("reset_method")
    write_text(chosen, name)
    try:
        write_text(file, "1")
    finally:
        # Should this process be killed before, the next call finds only the method that it would take anyway.
        try:
            write_text(chosen, offered)
        except OSError:
            pass


def verify(device, before, until):
    """Raises Failure unless the device responds as the same one, with the kernel's registers and without DMA."""
    after = device.header()
    while after is None and time.monotonic() < until:
        time.sleep(0.05)
        after = device.header()
    if after is None:
        raise Failure("not-back", f"{device.address} does not respond after the reset")
    number = lambda low: f"0x{after[low + 1]:02x}{after[low]:02x}"
    for name, found in (("vendor", number(0)), ("device", number(2))):
        if device.attribute(name) != found:
            raise Failure("not-verified", f"{name} of {device.address} is {found}, not {device.attribute(name)}")
    if after[4] & BUS_MASTER:
        raise Failure("not-verified", f"{device.address} can write to memory after the reset")
    # The kernel restores the addresses of its memory; all ones or others mean that it could not.
    bars = slice(0x10, 0x28)
    if after[bars] != (before or after)[bars] or after[bars] == b"\xff" * 24:
        raise Failure("not-verified", f"the base addresses of {device.address} were not restored")
    if before is not None and after[8:12] != before[8:12]:
        raise Failure("not-verified", f"class or revision of {device.address} changed")


def verdict_of(settings, address):
    """The verdict on one device, in time, whatever the kernel does."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        # It keeps the lock of the calls open, so that none begins while the kernel still resets.
        os.close(reader)
        # The response ends when these are closed, which must not wait for the kernel.
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        try:
            method, detail = reset_one(settings, address)
            verdict = {"address": address, "reset": True, "method": method, "detail": one_line(detail)}
        except Failure as failure:
            verdict = {"address": address, "reset": False, "code": failure.code, "message": one_line(str(failure))}
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
            verdict = {"address": address, "reset": False, "code": "reset-failed", "message": one_line(message)}
        os.write(writer, json.dumps(verdict).encode())
        os._exit(0)
    os.close(writer)
    deadline = settings["reset_deadline_seconds"]
    with selectors.DefaultSelector() as selector, open(reader, "rb") as pipe:
        selector.register(pipe, selectors.EVENT_READ)
        said = pipe.read() if selector.select(deadline + 2) else None
    if said:
        return json.loads(said)
    # Not waited for: in the kernel it cannot be killed.
    os.kill(child, signal.SIGKILL)
    if said is None:
        return {"address": address, "reset": False, "code": "deadline", "message": f"no end within {deadline} seconds"}
    return {"address": address, "reset": False, "code": "reset-failed", "message": "the reset ended without a verdict"}
