import { beforeEach, describe, expect, it } from "vitest";
import { beginStand, type Stand } from "../../../test/support/fake-libvirt/stand.ts";
import type { HostConnection } from "./host-connection.ts";
import { verificationSeconds, verifyVirtualization } from "./virtualization.ts";
import { makeMemoryPool, putInMemory } from "./volumes.ts";

const soon = () => AbortSignal.timeout(10_000);
let stand: Stand;
let place: HostConnection;
beforeEach(async () => {
  stand = await beginStand();
  const [host] = stand.settings.hosts;
  if (host === undefined) throw new Error("BUG: a stand without hosts");
  place = { host, settings: stand.settings, installation: "i", virsh: stand.fake.virsh(host.uri) };
});
const domains = async () => (await place.virsh.call(["list", "--all", "--name"], { signal: soon() })).trim();
const first = () => {
  const host = stand.fake.world.hosts.get("h1");
  if (host === undefined) throw new Error("BUG: a fake without hosts");
  return host;
};

describe("the proof that a host runs machines", () => {
  it("is a guest that ran, of which nothing is left", async () => {
    await verifyVirtualization(place, soon());
    expect(await domains()).toBe("");
    expect([...first().storage.files.keys()].filter((path) => path.includes("proof"))).toEqual([]);
  });

  it("fails where libvirt refuses the accelerator, in its words", async () => {
    first().hardware.accelerators.kvm = "refuses";
    await expect(verifyVirtualization(place, soon())).rejects.toThrow(/kvm/);
  });

  it("is no proof where QEMU was killed before the guest ran", async () => {
    first().hardware.accelerators.kvm = "hangs";
    const proof = verifyVirtualization(place, soon());
    await expect.poll(domains).not.toBe("");
    stand.fake.world.crash(await domains());
    await expect(proof).rejects.toThrow(/with KVM ended in its first instructions: shut off \((crashed|failed)\)/);
    expect(await domains()).toBe("");
  });

  it("of emulation does not need KVM", async () => {
    first().hardware.accelerators.kvm = "refuses";
    await verifyVirtualization({ ...place, host: { ...place.host, accelerator: "emulated" } }, soon());
  });

  it("is given up when its caller gives up, and cleans up all the same", async () => {
    first().hardware.accelerators.kvm = "hangs";
    const controller = new AbortController();
    const proof = verifyVirtualization(place, controller.signal);
    await expect.poll(domains).not.toBe("");
    controller.abort(new Error("enough"));
    await expect(proof).rejects.toThrow("enough");
    expect(await domains()).toBe("");
  });

  it("clears away what proofs of a killed service have left, and no proof that may be under way", async () => {
    const now = Math.floor(Date.now() / 1000);
    const [old, young] = [now - 3600, now].map((began) => `lessor-proof-${began}-0123456789ab`);
    first().hardware.accelerators.qemu = "hangs";
    for (const name of [old, young]) {
      const uuid = crypto.randomUUID();
      const type = "<os><type arch='x86_64'>hvm</type></os>";
      const input = `<domain type='qemu'><name>${name}</name><uuid>${uuid}</uuid><memory>65536</memory>${type}</domain>`;
      await place.virsh.call(["create", "/dev/stdin"], { input, signal: soon() });
    }
    await makeMemoryPool(place, soon());
    const mark = `lessor-mark-${now - 3600}-0123456789ab`;
    for (const name of [old, young, mark]) await putInMemory(place, `${name}.img`, Buffer.alloc(512), soon());
    await verifyVirtualization(place, soon());
    expect(await domains()).toBe(young);
    expect(first().storage.names("lessor-run")).toEqual([`${young}.img`]);
  });

  it("has a deadline that a host in software keeps", () => {
    expect(verificationSeconds).toBeGreaterThanOrEqual(10);
  });
});
