// The example of the package for validation images, with fake tools of the vendors: what it prints is a verdict for the
// service, and it prints none where a check cannot run.

import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { requestIn, userDataOf } from "../../src/gpus/validation/request.ts";
import { verdictIn } from "../../src/gpus/validation/verdict.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const folder = resolve(import.meta.dirname, "../../packaging/gpu-validation");
const nonce = "0123456789abcdef0123456789abcdef";
const previous = "fedcba9876543210fedcba9876543210";

/** Programs by name: each prints a text and ends with a code. */
type Tools = Readonly<Record<string, { readonly prints: string; readonly code?: number } | undefined>>;

async function run(tools: Tools, request: object = {}, options: readonly string[] = ["--no-memory"]) {
  const root = await temporaryDirectory();
  const bin = join(root, "bin");
  await mkdir(bin);
  for (const [name, tool] of Object.entries(tools)) {
    if (tool === undefined) continue;
    await writeFile(join(bin, `${name}.out`), tool.prints);
    // One output for each of its first arguments, or one for all.
    const script = `#!/bin/sh\ncat "$0.$1.out" 2>/dev/null || cat "$0.out"\nexit ${tool.code ?? 0}\n`;
    await writeFile(join(bin, name), script, { mode: 0o755 });
  }
  if (tools["nvidia-smi"] !== undefined) {
    await writeFile(join(bin, "nvidia-smi.--query-gpu=uuid.out"), "GPU-1\nGPU-2\n");
  }
  const [file, console] = [join(root, "request.json"), join(root, "console")];
  await writeFile(
    file,
    JSON.stringify({ version: 1, nonce, gpus: 2, model: "h100", previous: [previous], ...request }),
  );
  const words = ["-I", join(folder, "lessor-gpu-validation"), file, "--console", console, "--wait", "0", ...options];
  const { status, stderr } = spawnSync("/usr/bin/python3", words, {
    env: { PATH: `${bin}:/usr/bin:/bin` },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  const output = await readFile(console, "utf8");
  return { status, output, verdict: verdictIn(output, nonce, 2) };
}

const fabric = (state: string, status: string) =>
  `GPU 00000000:18:00.0\n    Fabric\n        State                             : ${state}\n        Status                            : ${status}\n`;
const diagnostics = (status: string, key = "DCGM Diagnostic") =>
  JSON.stringify({
    [key]: {
      test_categories: [
        {
          category: "Hardware",
          tests: [
            {
              name: "Memory",
              results: [
                { gpu_ids: "0", status },
                { gpu_ids: "1", status: "Pass" },
              ],
            },
          ],
        },
      ],
    },
  });
const nvidia = (state: string, status: string, result: string, code = 0): Tools => ({
  "nvidia-smi": { prints: fabric(state, status) },
  dcgmi: { prints: result, code },
});

describe("the example for NVIDIA", () => {
  it.each([
    ["passed", "Completed", "Success", "Pass"],
    ["passed", "N/A", "N/A", "Skip"],
    ["warned", "Completed", "Success", "Warn"],
    ["failed", "Completed", "Success", "FAIL"],
    ["failed", "In Progress", "N/A", "Pass"],
    ["failed", "Completed", "Failure", "Pass"],
  ])("is %s with the fabric %s, %s and a test that comes to %s", async (verdict, state, status, result) => {
    const { output, ...found } = await run(nvidia(state, status, diagnostics(result)));
    expect(found).toMatchObject({ status: 0, verdict: { verdict } });
    // Lines of the kernel can come between.
    expect(output.match(/LESSOR-GPU-VALIDATION/g)).toHaveLength(3);
  });

  it("fails on GPUs that are missing, and reads what older versions of DCGM print", async () => {
    const tools = nvidia("N/A", "N/A", diagnostics("Fail", "DCGM GPU Diagnostic"));
    expect((await run(tools)).verdict?.detail).toContain("dcgmi Memory failed on GPU 0");
    const { output } = await run(tools, { gpus: 8 });
    expect(verdictIn(output, nonce, 8)).toMatchObject({ verdict: "failed" });
  });

  it.each([
    ["has no dcgmi", { ...nvidia("N/A", "N/A", ""), dcgmi: undefined }],
    ["gets no JSON from dcgmi", nvidia("N/A", "N/A", "Error: unable to connect", 1)],
    ["gets no test from dcgmi", nvidia("N/A", "N/A", "{}")],
    ["has no tool of a vendor", {}],
  ] as const)("gives no verdict where it %s, and says so", async (_why, tools) => {
    const { status, output, verdict } = await run(tools);
    expect([status, verdict]).toEqual([1, undefined]);
    expect(output).toMatch(/^\nlessor-gpu-validation: no verdict: .+\n$/);
  });

  it("gives no verdict on a request of another version, or where memory cannot be reached", async () => {
    const tools = nvidia("N/A", "N/A", diagnostics("Pass"));
    expect(await run(tools, { version: 2 })).toMatchObject({ status: 1, verdict: undefined });
    expect(await run(tools, {}, [])).toMatchObject({ status: 1, verdict: undefined });
  });
});

describe("the example for AMD", () => {
  const list = JSON.stringify([{ gpu: 0 }, { gpu: 1 }]);
  const errors = (correctable: number, uncorrectable: number) =>
    JSON.stringify([
      { gpu: 0, ecc: { total_correctable_count: correctable, total_uncorrectable_count: uncorrectable } },
      { gpu: 1, ecc: { total_correctable_count: 0, total_uncorrectable_count: "N/A" } },
    ]);

  it.each([
    ["passed", errors(0, 0)],
    ["warned", errors(3, 0)],
    ["failed", errors(0, 1)],
  ])("is %s by the memory errors that amd-smi counts", async (verdict, prints) => {
    // It prints both for each question: the list has no counts, and the metrics have as many GPUs.
    expect((await run({ "amd-smi": { prints } })).verdict).toMatchObject({ verdict });
    expect(list).toContain("gpu");
  });
});

describe("the memory of the example", () => {
  it("is filled, read back, and searched for the patterns of earlier validations", () => {
    const script = String.raw`
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(folder)})
import memory
from findings import Findings

class Fake:
    def __init__(self, before, lost=False):
        self.chunks = {0: bytearray(before), memory.CHUNK: bytearray(before)}
        self.left = list(self.chunks)
        self.lost = lost
    def allocate(self, size):
        return self.left.pop(0) if self.left else None
    def free(self, address):
        pass
    def fill(self, address, size, block):
        if not self.lost:
            self.chunks[address] = bytearray(block)
    def read(self, address, size):
        return bytes(self.chunks[address - address % memory.CHUNK][:size].ljust(size, b"\0"))

pattern, old = bytes.fromhex("${nonce}"), bytes.fromhex("${previous}")
for device in [Fake(b"\0" * 64), Fake(b"\0" * 32 + old), Fake(b"", lost=True)]:
    findings = Findings()
    memory.check_device(findings, device, 0, pattern, {"old": old})
    print(findings.verdict())
`;
    const { stdout, stderr } = spawnSync("/usr/bin/python3", ["-c", script], { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["pass\nwarn\nfail\n", ""]);
  });
});

describe("the request that the example reads", () => {
  it("is the one that the service writes", () => {
    const request = { nonce, gpus: 2, model: "h100", previous: [previous] };
    expect(requestIn(userDataOf(request))).toEqual({ version: 1, ...request });
  });
});
