"""NVIDIA: the number of GPUs and the state of the fabric (nvidia-smi), and the diagnostics of DCGM (dcgmi diag)."""

import re

from findings import FAIL, WARN, Unavailable, one_line
from tools import answer, dictionaries, has_tool, parsed, run

MEMORY_LIBRARY = "libcuda.so.1"


def count():
    code, out, _ = run(["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"])
    # It fails while the driver finds no GPU.
    return len([line for line in out.splitlines() if line.startswith("GPU-")]) if code == 0 else 0


def check(findings, options):
    check_fabric(findings, answer(["nvidia-smi", "-q"]))
    if not has_tool("dcgmi"):
        raise Unavailable("the image has no dcgmi")
    check_diagnostics(findings, options.level, options.deadline)


def check_fabric(findings, text):
    """Only GPUs of NVSwitch boards have one; others report N/A."""
    for section in re.split(r"(?m)^\s+Fabric\s*$", text)[1:]:
        values = dict(re.findall(r"(?m)^\s+(State|Status)\s*:\s*(.+?)\s*$", section[:400]))
        state, status = values.get("State", "N/A"), values.get("Status", "N/A")
        if state != "N/A" and (state != "Completed" or status not in ("Success", "N/A")):
            findings.add(FAIL, f"the fabric is {state}, {status}")


def check_diagnostics(findings, level, seconds):
    code, out, errors = run(["dcgmi", "diag", "-r", level, "-j"], seconds)
    try:
        results = parsed("dcgmi", out)
    except Unavailable:
        raise Unavailable(f"dcgmi diag ended with {code}: {one_line(errors or out)}") from None
    statuses = 0
    for test in dictionaries(results):
        name = test.get("name", "a test")
        for result in dictionaries(test.get("results", test.get("test_summary", []))):
            status = str(result.get("status", "")).lower()
            if status == "":
                continue
            statuses += 1
            where = result.get("gpu_ids", result.get("entity_id", result.get("gpu_id", "?")))
            said = " ".join(str(one) for one in flat(result.get("warnings", result.get("info", []))))
            if status.startswith("fail"):
                findings.add(FAIL, f"dcgmi {name} failed on GPU {where}: {said}")
            elif status.startswith("warn"):
                findings.add(WARN, f"dcgmi {name} has a warning on GPU {where}: {said}")
    if statuses == 0:
        raise Unavailable(f"dcgmi diag ended with {code} and reported no test: {one_line(errors or out)}")
    if code != 0 and findings.verdict() == "pass":
        findings.add(FAIL, f"dcgmi diag ended with {code}: {errors or out}")


def flat(value):
    """The texts in it: a text, a list of them, or of objects with one."""
    if isinstance(value, list):
        return [text for one in value for text in flat(one)]
    if isinstance(value, dict):
        return [value.get("warning", value.get("error", ""))]
    return [value]
