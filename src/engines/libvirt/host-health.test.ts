import { expect, it, onTestFinished } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import { placeOn } from "../../../test/support/fake-libvirt/bench.ts";
import { beginStand } from "../../../test/support/fake-libvirt/stand.ts";
import { readInventory } from "./host/inventory.ts";
import { HostHealth } from "./host-health.ts";
import { Hosts } from "./hosts.ts";
import { Verifications } from "./verifications.ts";
import { makeMemoryPool } from "./volumes.ts";

async function begin() {
  const stand = await beginStand();
  const place = placeOn(stand, "h1");
  const host = stand.fake.world.host("h1");
  let now = 0;
  const health = new HostHealth(() => now);
  onTestFinished(() => health.close());
  /** What is known after all that was due has been asked. */
  const found = async (part: Partial<typeof place> = {}) => {
    const at = { ...place, ...part };
    const look = async () => health.of(at, await readInventory(at.virsh, at.settings, signal()));
    await look();
    await health.idle();
    return look();
  };
  const codes = async () => (await found()).health.map(({ code, severity }) => `${code} ${severity}`);
  const pass = (minutes: number) => {
    now += minutes * 60_000;
  };
  return { ...stand, place, host, health, found, codes, pass };
}

it("is nothing on a host that is well", async () => {
  const { found } = await begin();
  expect(await found()).toEqual({ health: [], daemon: undefined });
});

it("knows a pool that is nearly full", async () => {
  const { host, found, codes } = await begin();
  host.storage.takenBytes = 0.95 * host.storage.capacityBytes;
  expect(await codes()).toEqual(["disk-space-low warning"]);
  host.storage.takenBytes = 0.975 * host.storage.capacityBytes;
  expect((await found()).health).toEqual([
    { code: "disk-space-low", severity: "critical", message: "The pool default has 2 % free of 4000 GB." },
  ]);
});

it("refreshes the pool every five minutes, and compares the clock every hour, which leaves nothing", async () => {
  const { fake, found, pass, host } = await begin();
  const asked = () => [fake.seen(/pool-refresh default/).length, fake.seen(/vol-create lessor-run/).length];
  await found();
  // The pool in memory had to be made first.
  expect(asked()).toEqual([1, 2]);
  pass(4);
  await found();
  expect(asked()).toEqual([1, 2]);
  pass(1);
  await found();
  expect(asked()).toEqual([2, 2]);
  pass(56);
  await found();
  expect(asked()).toEqual([3, 3]);
  expect(host.storage.names("lessor-run")).toEqual([]);
});

it("knows a clock that is off, until it is right again", async () => {
  const { host, codes, found, pass } = await begin();
  host.storage.clockAheadMs = -45_000;
  expect((await found()).health).toEqual([
    { code: "clock-skew", severity: "critical", message: "Its clock is 45 s behind the clock of Lessor." },
  ]);
  host.storage.clockAheadMs = 1000;
  pass(61);
  expect(await codes()).toEqual([]);
});

it("knows a pool that cannot be refreshed; one that is being written, or a host that is away, says nothing", async () => {
  const { fake, codes, found, pass } = await begin();
  const fails = (fail: string) => fake.faults.add(/pool-refresh/, { fail }, 1);
  fails("Requested operation is not valid: storage pool 'default' is not active");
  expect((await found()).health).toEqual([
    {
      code: "storage-pool-error",
      severity: "critical",
      message: expect.stringMatching(
        /^The pool default cannot be refreshed: .*storage pool 'default' is not active\.$/,
      ),
    },
  ]);
  for (const fail of ["internal error: pool 'default' has asynchronous jobs running.", "client socket is closed"]) {
    pass(5);
    fails(fail);
    expect(await codes()).toEqual(["storage-pool-error critical"]);
  }
  pass(5);
  expect(await codes()).toEqual([]);
});

it("knows certificates that expire soon", async () => {
  const { place, found } = await begin();
  const expires = new Date(Date.now() + 3 * 86_400_000);
  const certificates = () => [{ which: "The certificate of the server", expires }];
  expect((await found({ virsh: Object.assign(place.virsh, { certificates }) })).health).toMatchObject([
    { code: "certificate-expiring", severity: "warning" },
  ]);
});

it("tells of the last restart of the daemon", async () => {
  const { health, found } = await begin();
  const restartedAt = new Date();
  health.noteRestart("h1", restartedAt);
  expect((await found()).daemon).toEqual({ restartedAt });
});

it.each([/vol-create lessor-run/, /vol-dumpxml.*lessor-mark/, /vol-delete.*lessor-mark/])(
  "leaves nothing when it is closed while %s is not answered",
  async (command) => {
    const { fake, host, health, place } = await begin();
    await makeMemoryPool(place, signal());
    fake.faults.add(command, { hang: true, isDone: true });
    health.of(place, await readInventory(place.virsh, place.settings, signal()));
    await expect.poll(() => fake.seen(command)).toHaveLength(1);
    await health.close();
    expect(host.storage.names("lessor-run")).toEqual([]);
  },
);

it("asks nothing more once it is closed", async () => {
  const { fake, health, codes } = await begin();
  await health.close();
  expect(await codes()).toEqual([]);
  expect(fake.seen(/pool-refresh/)).toEqual([]);
});

it("knows a pool that is gone, on a host that has been read before", async () => {
  const { place, host, health } = await begin();
  const proofs = new Verifications({ onVerdict: () => {}, prove: async () => {} });
  onTestFinished(() => proofs.close());
  const hosts = new Hosts(proofs, health);
  const [before] = await hosts.read([place], signal());
  expect(before).toMatchObject({ available: true, health: [] });
  host.storage.removePool("default");
  expect(await hosts.read([place], signal())).toMatchObject([
    {
      available: false,
      health: [{ code: "storage-pool-error", severity: "critical", message: "The pool default does not exist." }],
    },
  ]);
});
