// Verifies that a host can run machines as its settings say, by running one. A device node, or libvirt's report, proves
// nothing: there are hosts where /dev/kvm opens and every guest hangs.
//
// The guest is one sector of code that resets the machine at once; its domain ends at a reset. So it ends by itself
// within milliseconds if guests run, and not otherwise. A QEMU that crashes or is killed ends it too, but proves
// nothing; libvirt distinguishes the two for a defined domain. Used by hosts.ts and the check.

import { setTimeout as pause } from "node:timers/promises";
import type { HostConnection } from "./host-connection.ts";
import { fromInput } from "./virsh/virsh.ts";
import { unless } from "./virsh/virsh-error.ts";
import { cleanUpMs, makeMemoryPool, memoryPath, memoryPool, putInMemory, temporaryName } from "./volumes.ts";
import { element, xmlText } from "./xml/element.ts";

/** The timeout. In software emulation on a slow machine it takes some seconds. */
export const verificationSeconds = 20;
const LOOK_EVERY_MS = 200;
/** Longer than any verification, including its end. */
export const oldSeconds = 40;

/** `mov al, 0xfe; out 0x64, al`: the keyboard controller resets the machine. Then `hlt` forever. */
const code = Buffer.from([0xb0, 0xfe, 0xe6, 0x64, 0xf4, 0xeb, 0xfd]);

/** Throws VirshError if libvirt rejects it, Error if the guest hangs; the message is for the operator. */
export async function verifyVirtualization(place: HostConnection, signal: AbortSignal): Promise<void> {
  const { virsh } = place;
  // Two services might verify at once.
  const name = temporaryName("proof");
  const volume = `${name}.img`;
  await makeMemoryPool(place, signal);
  await clearOldVerifications(place, signal);
  try {
    await putInMemory(place, volume, bootSector(), signal);
    await virsh.call(["define", fromInput], { input: proofXml(place, name, volume), signal });
    await virsh.call(["start", name], { signal });
    await untilItEnds(place, name, signal);
  } finally {
    // One process, because on a busy machine each takes seconds. If this fails too, a later verification cleans up.
    const commands = [
      ["destroy", name],
      ["undefine", name],
      ["vol-delete", "--pool", memoryPool, volume],
    ];
    await virsh.all(commands, { signal: AbortSignal.timeout(cleanUpMs) }).catch(() => {});
  }
}

/** Cleans up after verifications, and marks in memory, whose service was killed: a domain, a volume. Throws VirshError. */
export async function clearOldVerifications({ virsh }: HostConnection, signal: AbortSignal): Promise<void> {
  const commands = [
    ["list", "--all", "--name"],
    ["vol-list", memoryPool],
  ];
  const text = await virsh.all(commands, { signal });
  for (const [name, began, isVolume] of text.matchAll(/\blessor-(?:proof|mark)-(\d+)-[0-9a-f]{12}(\.img)?(?=\s)/g)) {
    if (epochSeconds() - Number(began) < oldSeconds) continue;
    if (isVolume === undefined) {
      await unless("noSuchDomain", unless("notRunning", virsh.call(["destroy", name], { signal })));
      await unless("noSuchDomain", virsh.call(["undefine", name], { signal }));
    } else await unless("noSuchVolume", virsh.call(["vol-delete", "--pool", memoryPool, name], { signal }));
  }
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

async function untilItEnds({ virsh, host }: HostConnection, name: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + verificationSeconds * 1000;
  const what = host.accelerator === "kvm" ? "with KVM" : "in emulation";
  for (;;) {
    const state = (await virsh.call(["domstate", name, "--reason"], { signal })).trim();
    if (state === "shut off (shutdown)") return;
    if (state.startsWith("shut off")) throw new Error(`a guest ${what} ended in its first instructions: ${state}`);
    if (performance.now() > deadline) {
      throw new Error(`a guest ${what} did not run its first instruction within ${verificationSeconds} seconds`);
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** A disk that firmware boots from, so at least one cylinder: the code, and the boot signature. */
function bootSector(): Buffer {
  const disk = Buffer.alloc(1024 * 1024);
  code.copy(disk);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

function proofXml({ host }: HostConnection, name: string, volume: string): string {
  return xmlText(
    element(
      "domain",
      { type: host.accelerator === "kvm" ? "kvm" : "qemu" },
      element("name", {}, name),
      element("memory", { unit: "MiB" }, "64"),
      element("vcpu", {}, "1"),
      element("os", {}, element("type", { arch: "x86_64", machine: "q35" }, "hvm"), element("boot", { dev: "hd" })),
      element("features", {}, element("acpi"), element("apic")),
      ...["on_poweroff", "on_reboot", "on_crash"].map((event) => element(event, {}, "destroy")),
      element(
        "devices",
        {},
        element(
          "disk",
          { type: "file", device: "disk" },
          element("driver", { name: "qemu", type: "raw" }),
          element("source", { file: `${memoryPath}/${volume}` }),
          element("target", { dev: "vda", bus: "virtio" }),
        ),
        element("controller", { type: "usb", model: "none" }),
        element("memballoon", { model: "none" }),
      ),
    ),
  );
}
