import { describe, expect, it } from "vitest";
import { type Meaning, says, unless, VirshError } from "./virsh-error.ts";

function ended(...lines: readonly string[]): VirshError {
  return VirshError.ended(1, null, lines.map((line) => `error: ${line}\n`).join(""));
}

/** Sentences that libvirt 9.0 was seen to print, and some of other versions, from their sources. */
const sentences = {
  unreachable: [
    "failed to connect to the hypervisor; unable to connect to server at '10.0.0.2:16509': Connection refused",
    "Cannot recv data: ssh: connect to host h1 port 22: No route to host: Connection reset by peer",
    "Disconnected from qemu+tcp://10.0.0.2/system due to end of file",
    "Disconnected from qemu+tcp://10.0.0.2/system due to keepalive timeout",
    "internal error: client socket is closed",
    "End of file while reading data: Input/output error",
    "authentication failed: Failed to verify peer's certificate",
  ],
  noSuchDomain: [
    "failed to get domain 'lessor-1'",
    "Domain not found: no domain with matching uuid '6f1c7d0e-0000-4000-8000-000000000001' (lessor-1)",
  ],
  noSuchVolume: [
    "failed to get vol 'a.img'",
    "Storage volume not found: no storage vol with matching path 'a.img'",
    "Storage volume not found: no storage vol with matching name 'a.img'",
  ],
  noSuchPool: ["failed to get pool 'p'", "Storage pool not found: no storage pool with matching name 'p'"],
  noSuchNetwork: ["failed to get network 'n'", "Network not found: no network with matching name 'n'"],
  noSuchFilter: [
    "failed to get nwfilter 'clean-traffic'",
    "Network filter not found: no nwfilter with matching name 'clean-traffic'",
  ],
  noSuchNode: [
    "Could not find matching device 'pci_ffff_00_00_0'; Node device not found: no node device with matching name 'x'",
  ],
  poolBusy: ["internal error: pool 'lessor-run' has asynchronous jobs running."],
  exists: [
    "Failed to create vol from /dev/stdin; storage volume 'a.img' exists already",
    "Requested operation is not valid: volume target path '/x/a.img' already exists",
    "operation failed: pool 'p' already exists with uuid 6f1c7d0e-0000-4000-8000-000000000001",
    "Requested operation is not valid: pool is already active as 'p'",
    `Requested operation is not valid: there is an existing dhcp host entry in network 'n' that matches "<host mac='52'/>"`,
  ],
  alreadyRunning: ["Domain is already active", "Requested operation is not valid: domain is already running"],
  notRunning: [
    "Failed to shutdown domain 'd'; Requested operation is not valid: domain is not running",
    "The domain is not running",
  ],
  noSuchReservation: ["Requested operation is not valid: couldn't locate a matching dhcp host entry in network 'n'"],
  noPassthrough: [
    "unsupported configuration: host doesn't support VFIO PCI passthrough",
    "unsupported configuration: host doesn't support passthrough of host PCI devices",
    "internal error: process exited while connecting to monitor: 2026-11-21T14:13:31.252403Z qemu-system-x86_64: -device " +
      '{"driver":"vfio-pci","host":"0000:03:01.0","id":"hostdev0","bus":"pci.3","addr":"0x1"}: vfio 0000:03:01.0: ' +
      "group 9 is not viable; Please ensure all devices within the iommu_group are bound to their vfio bus driver.",
  ],
  noSuchDevice: [
    "Device 0000:42:00.0 not found: could not access /sys/bus/pci/devices/0000:42:00.0/config: No such file or directory",
  ],
  deviceInUse: ["Requested operation is not valid: PCI device 0000:81:00.0 is in use by driver QEMU, domain other"],
  noMemory: ["qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory"],
  noSpace: ["cannot create path '/x/a.img': No space left on device"],
  noAccelerator: [
    "unsupported configuration: Emulator '/usr/bin/qemu-system-x86_64' does not support virt type 'kvm'",
    "invalid argument: could not find capabilities for arch=x86_64 domaintype=kvm ",
    "qemu-system-x86_64: Could not access KVM kernel module: No such file or directory",
  ],
} as const satisfies Record<Meaning, readonly string[]>;

const meanings = Object.keys(sentences) as Meaning[];
const known = meanings.flatMap((meaning) => sentences[meaning].map((sentence) => [meaning, sentence] as const));

describe("what virsh complains of", () => {
  it.each(known)("means %s: %s", (meaning, sentence) => {
    expect(ended(sentence).means(meaning)).toBe(true);
  });

  /** What a sentence means beside what it was listed for, and may. */
  const also: readonly string[] = ["alreadyRunning exists"];

  it.each(known)("means nothing but %s: %s", (meaning, sentence) => {
    const others = meanings.filter((other) => other !== meaning && !also.includes(`${meaning} ${other}`));
    expect(others.filter((other) => ended(sentence).means(other))).toEqual([]);
  });

  it("that is not known means nothing", () => {
    const error = ended("internal error: something quite new");
    expect(meanings.filter((meaning) => error.means(meaning))).toEqual([]);
  });

  it("is without its mark, its lines in one", () => {
    const error = VirshError.ended(1, null, "error: Failed to start domain 'd'\nerror: first\n\n  second \n");
    expect(error.complaint).toBe("Failed to start domain 'd'; first; second");
    expect(error.message).toBe("virsh ended with 1: Failed to start domain 'd'; first; second");
  });

  it("may be nothing", () => {
    expect(VirshError.ended(2, null, "")).toMatchObject({ message: "virsh ended with 2", complaint: "" });
    expect(VirshError.ended(null, "SIGTERM", "")).toMatchObject({ message: "virsh was ended by SIGTERM" });
  });

  it("never comes from a program that was not there, and so means nothing", () => {
    const error = VirshError.notStarted(Object.assign(new Error("spawn EAGAIN"), { code: "EAGAIN" }));
    expect(error.message).toBe("virsh could not be started: spawn EAGAIN");
    expect(meanings.filter((meaning) => error.means(meaning))).toEqual([]);
  });
});

describe("an error that is expected", () => {
  it("is no error", async () => {
    expect(await unless("exists", Promise.reject(ended("x exists already")))).toBeUndefined();
    expect(await unless("exists", Promise.resolve("made"))).toBe("made");
  });

  it("is one of virsh, and of that meaning: all others are thrown on", async () => {
    const other = ended("failed to get domain 'x'");
    await expect(unless("exists", Promise.reject(other))).rejects.toBe(other);
    const stranger = new Error("x exists already");
    await expect(unless("exists", Promise.reject(stranger))).rejects.toBe(stranger);
    expect([says(stranger, "exists"), says(other, "noSuchDomain"), says(undefined, "exists")]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
