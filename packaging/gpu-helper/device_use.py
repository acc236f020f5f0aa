"""Whether a process uses a device: a machine that has it opens its VFIO group or its VFIO device.

Used by device_reset.py.
"""

import errno
import os

from failure import Failure, one_line
from pci_device import read_text


def vfio_files(devices):
    """The files under /dev that a process opens to use one of them."""
    files = set()
    for device in devices:
        group = device.link("iommu_group")
        if group is not None:
            files |= {f"/vfio/{group}", f"/vfio/noiommu-{group}"}
        own = os.path.join(device.path, "vfio-dev")
        if os.path.isdir(own):
            files |= {f"/vfio/devices/{name}" for name in os.listdir(own)}
    return files


def refuse_if_open(proc, files):
    """Raises Failure if a process has one of them open, or if that cannot be known."""
    if not files:
        return
    unreadable = None
    ends = tuple(files)
    for pid in (name for name in os.listdir(proc) if name.isdigit()):
        descriptors = os.path.join(proc, pid, "fd")
        try:
            for name in os.listdir(descriptors):
                # By its end: a machine can have a /dev of its own.
                if os.readlink(os.path.join(descriptors, name)).endswith(ends):
                    raise Failure("in-use", f"process {pid} ({process_name(proc, pid)}) has the device open")
        except (FileNotFoundError, ProcessLookupError):
            continue  # It has ended meanwhile, or closed the file.
        except PermissionError:
            unreadable = pid
    if unreadable is not None:
        raise Failure("use-unknown", f"the open files of process {unreadable} cannot be read")


def process_name(proc, pid):
    return one_line(read_text(os.path.join(proc, pid, "comm"), "unknown"))


def hold_groups(dev, files):
    """Opens the groups, which the kernel lets one process do: no machine can start with the device meanwhile."""
    for file in files:
        if file.startswith("/vfio/devices/"):
            continue
        try:
            # Held until this process ends.
            os.open(dev + file, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno == errno.EBUSY:
                raise Failure("in-use", f"{dev}{file} is open in another process") from None
            raise Failure("use-unknown", f"{dev}{file} cannot be opened: {error.strerror}") from None
