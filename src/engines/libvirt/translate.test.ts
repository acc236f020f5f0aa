import { describe, expect, it } from "vitest";
import { failure } from "../../../test/support/engine-calls.ts";
import { EngineError, hostUnreachable } from "../engine.ts";
import { translated } from "./translate.ts";
import { VirshError } from "./virsh/virsh-error.ts";

function complaint(...lines: readonly string[]): VirshError {
  return VirshError.ended(1, null, lines.map((line) => `error: ${line}`).join("\n"));
}

async function translation(error: unknown): Promise<unknown> {
  return failure(translated(() => Promise.reject(error)));
}

const path = "/var/lib/libvirt/images/lessor-x.qcow2";
const refusals = [
  ["Disconnected from qemu+ssh://h1.lan/system due to end of file", "unavailable", hostUnreachable],
  ["unsupported configuration: host doesn't support VFIO PCI passthrough", "refused", "gpu-not-assignable"],
  [
    "Device 0000:42:00.0 not found: could not access /sys/bus/pci/devices/0000:42:00.0/config: No such file or directory",
    "refused",
    "gpu-missing",
  ],
  ["PCI device 0000:81:00.0 is in use by driver QEMU, domain hers", "refused", "gpu-in-use"],
  ["qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory", "refused", "host-memory"],
  [`cannot extend file '${path}': No space left on device`, "refused", "host-storage"],
  ["Emulator '/usr/bin/qemu-system-x86_64' does not support virt type 'kvm'", "refused", "no-virtualisation"],
  ["Storage pool not found: no storage pool with matching name 'fast'", "refused", "host-misconfigured"],
  ["Network not found: no network with matching name 'guests'", "refused", "host-misconfigured"],
  [`internal error: something of ${path} that is new`, "unavailable", "engine-error"],
  ["failed to get domain 'lessor-x'", "unavailable", "engine-error"],
] as const;

describe("what virsh complains of", () => {
  it.each(refusals)("%s: %s, %s", async (sentence, kind, code) => {
    expect(await translation(complaint("Failed to start domain 'lessor-x'", sentence))).toMatchObject({ kind, code });
  });

  it.each(refusals)("is not shown to customers, and goes along for the log: %s", async (sentence) => {
    const cause = complaint(sentence);
    const error = await translation(cause);
    if (!(error instanceof EngineError)) throw new Error("it is no EngineError");
    expect(error.message).not.toMatch(/[/:]|h1|hers|fast|guests|lessor|0000|qemu|error/i);
    expect(error.message).toMatch(/^The host.*\.$|^A GPU.*\.$/);
    expect(error.cause).toBe(cause);
  });

  it("first of all counts as nothing known where the host was lost, whatever else was said", async () => {
    const lost = complaint("No space left on device", "Disconnected from qemu+tcp://x/system due to I/O error");
    expect(await translation(lost)).toMatchObject({ kind: "unavailable", code: hostUnreachable });
  });
});

describe("what is no complaint of virsh", () => {
  it("is thrown as it is", async () => {
    for (const error of [new EngineError("refused", "image-missing", "x"), new Error("BUG: x"), "reason", undefined]) {
      expect(await translation(error)).toBe(error);
    }
  });

  it("passes", async () => {
    expect(await translated(async () => 7)).toBe(7);
  });
});
