// Whether a host can run machines as its settings say: tried by running one. A device node, or libvirt's word, proves
// nothing: there are hosts where /dev/kvm opens and every guest hangs.
//
// The guest of the proof is one sector of code that resets the machine as its first act; its domain ends at a reset. So
// it ends by itself within milliseconds where anything runs at all, and not otherwise. A QEMU that crashes or is killed
// ends it too, and proves nothing; libvirt tells the two apart for a domain that stays defined. Used by hosts.ts and the
// check.

import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { HostConnection } from "./host-connection.ts";
import { fromInput } from "./virsh/virsh.ts";
import { unless } from "./virsh/virsh-error.ts";
import { deleteVolume, makeMemoryPool, memoryPath, memoryPool, putInMemory } from "./volumes.ts";
import { element, xmlText } from "./xml/element.ts";

/** How long it may take. In software, on a machine where everything is slow, it takes some seconds. */
export const verificationSeconds = 20;
const LOOK_EVERY_MS = 200;
/** No proof takes so long, its end among it. */
export const oldSeconds = 40;

/** `mov al, 0xfe; out 0x64, al`: the keyboard controller pulls the reset line. Then `hlt`, for ever. */
const code = Buffer.from([0xb0, 0xfe, 0xe6, 0x64, 0xf4, 0xeb, 0xfd]);

/** Throws VirshError where libvirt refuses it, Error where the guest hangs; the message is for the operator. */
export async function verifyVirtualization(place: HostConnection, signal: AbortSignal): Promise<void> {
  const { virsh } = place;
  // Two services may try at once.
  const name = `lessor-proof-${epochSeconds()}-${randomBytes(6).toString("hex")}`;
  const volume = `${name}.img`;
  await makeMemoryPool(place, signal);
  await clearOldVerifications(place, signal);
  try {
    await putInMemory(place, volume, bootSector(), signal);
    await virsh.call(["define", fromInput], { input: proofXml(place, name, volume), signal });
    await virsh.call(["start", name], { signal });
    await untilItEnds(place, name, signal);
  } finally {
    // What is left where this fails too, a later proof clears away.
    const late = AbortSignal.timeout(10_000);
    await virsh.call(["destroy", name], { signal: late }).catch(() => {});
    await virsh.call(["undefine", name], { signal: late }).catch(() => {});
    await deleteVolume(place, memoryPool, volume, late).catch(() => {});
  }
}

/** Clears away proofs whose service was killed: a domain, a disk in memory. Throws VirshError. */
export async function clearOldVerifications({ virsh }: HostConnection, signal: AbortSignal): Promise<void> {
  const commands = [
    ["list", "--all", "--name"],
    ["vol-list", memoryPool],
  ];
  const text = await virsh.all(commands, { signal });
  for (const [name, began, isVolume] of text.matchAll(/\blessor-proof-(\d+)-[0-9a-f]{12}(\.img)?(?=\s)/g)) {
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
      throw new Error(`a guest ${what} does not run its first instruction within ${verificationSeconds} seconds`);
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** A disk that firmware boots from, which it does not from one of less than a cylinder: the code, and the mark for it. */
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
