"""The settings of the GPU helper: defaults, the configuration of the host, and options. Used by lessor-gpu-helper."""

import json
import shlex

from failure import Failure

DEFAULTS = {
    # Beginnings of PCI classes: display controllers and processing accelerators.
    "classes": ["0x03", "0x12"],
    # Bound to a GPU that is only passed through.
    "drivers": ["vfio-pci", "pci-stub", "nvgrace_gpu_vfio_pci"],
    # Module ids by address, as the board's maker documents them or the host's driver reports them.
    "modules": {},
    # The words of the partition tool, with the options of NVIDIA's fmpm: -l, -a ID, -d ID.
    "fabric_tool": [],
    "fabric_version": ["nv-fabricmanager", "--version"],
    "reset_deadline_seconds": 20,
    "fabric_deadline_seconds": 30,
    "lock_wait_seconds": 20,
}


def settings_of(options):
    """Raises Failure, which names what is wrong in the configuration."""
    try:
        with open(options.config, encoding="utf-8") as file:
            own = json.load(file)
    except FileNotFoundError:
        own = {}
    except (OSError, ValueError) as error:
        raise Failure("host-failed", f"{options.config} cannot be read: {error}") from None
    wrong = sorted(name for name in own if not fits(name, own[name])) if isinstance(own, dict) else ["the whole file"]
    if wrong:
        raise Failure("host-failed", f"{options.config}: unknown or of the wrong type: {', '.join(wrong)}")
    settings = {**DEFAULTS, **own}
    if options.fabric_tool is not None:
        settings["fabric_tool"] = shlex.split(options.fabric_tool)
    return {**settings, "sysfs": options.sysfs, "proc": options.proc, "dev": options.dev, "lock": options.lock}


def fits(name, value):
    """Whether the value is of the type of the default."""
    default = DEFAULTS.get(name)
    if isinstance(default, list):
        return isinstance(value, list) and all(isinstance(one, str) and one for one in value)
    if isinstance(default, dict):
        return isinstance(value, dict) and all(type(one) is int for one in value.values())
    return default is not None and type(value) in (int, float) and value > 0
