"""AMD: the number of GPUs and their memory errors, by amd-smi, or by rocm-smi where the image has no amd-smi."""

import re

from findings import FAIL, WARN
from tools import answer, dictionaries, has_tool, json_answer, parsed, run

MEMORY_LIBRARY = "libamdhip64.so"


def count():
    if has_tool("amd-smi"):
        code, out, _ = run(["amd-smi", "list", "--json"])
        return len([one for one in dictionaries(parsed("amd-smi", out)) if "gpu" in one]) if code == 0 else 0
    code, out, _ = run(["rocm-smi", "--showid", "--json"])
    return len([name for name in parsed("rocm-smi", out) if name.startswith("card")]) if code == 0 else 0


def check(findings, _options):
    if not has_tool("amd-smi"):
        check_ras(findings, answer(["rocm-smi", "--showrasinfo", "all"]))
        return
    for one in dictionaries(json_answer(["amd-smi", "metric", "--ecc", "--json"])):
        if "gpu" not in one:
            continue
        errors = {"uncorrectable": 0, "correctable": 0}
        for counts in dictionaries(one):
            for kind in errors:
                found = counts.get(f"total_{kind}_count", 0)
                errors[kind] = max(errors[kind], found if isinstance(found, int) else 0)
        if errors["uncorrectable"] > 0:
            findings.add(FAIL, f"GPU {one['gpu']} has {errors['uncorrectable']} uncorrectable memory errors")
        elif errors["correctable"] > 0:
            findings.add(WARN, f"GPU {one['gpu']} has {errors['correctable']} correctable memory errors")


def check_ras(findings, text):
    """A table of rocm-smi: the block, whether errors are counted, correctable and uncorrectable errors."""
    for block, correctable, uncorrectable in re.findall(r"(?m)^\s*(\w+)\s+ENABLED\s+(\d+)\s+(\d+)\s*$", text):
        if int(uncorrectable) > 0:
            findings.add(FAIL, f"{block} has {uncorrectable} uncorrectable errors")
        elif int(correctable) > 0:
            findings.add(WARN, f"{block} has {correctable} correctable errors")
