import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import {
  beginBench,
  disturbances,
  disturbancesOn,
  disturbed,
  stepsOf,
} from "../../../test/support/fake-libvirt/bench.ts";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import { type MachineSpec, noSuchMachine } from "../engine.ts";
import { secretsDisk } from "../guest/disks.ts";
import { createMachine } from "./create.ts";
import { readInventory } from "./host/inventory.ts";
import { volumes } from "./labels.ts";
import type { LibvirtSettings } from "./settings/settings.ts";
import { startMachine } from "./start.ts";
import { memoryPath, memoryPool } from "./volumes.ts";
import { readOne } from "./xml/read.ts";

async function begin(part: Partial<MachineSpec> = {}, settings: Partial<LibvirtSettings> = {}) {
  const bench = await beginBench(settings);
  const { place, host } = bench;
  for (const [address, numaNode] of [
    ["0000:81:00.0", 1],
    ["0000:82:00.0", 1],
  ] as const) {
    host.hardware.addGpu(address, { numaNode, driver: "vfio-pci" });
  }
  const inventory = await readInventory(place.virsh, place.settings, signal());
  const spec = machineSpec({ ...bench.spec, ...part });
  await createMachine(place, inventory, spec, signal());
  bench.fake.calls.length = 0;
  const start = (way = place, whole = spec) => startMachine(way, inventory, whole, signal());
  const defined = () => readOne(host.domains.get(bench.name).defined?.xml ?? "");
  return { ...bench, inventory, spec, start, defined };
}

/** Whether anything long of what the guest is told is in there, as it was written or as the disk has it. */
function holdsSecret(bytes: Buffer, { guest }: MachineSpec): boolean {
  const words =
    secretsDisk(guest)
      .toString()
      .match(/[A-Za-z0-9+/=]{20,}/g) ?? [];
  if (words.length === 0) throw new Error("BUG: a guest without secrets");
  return [...words, ...Object.values(guest.envVars)].some((word) => bytes.includes(word));
}

describe("a start", () => {
  it("tells the guest what it is to know, in memory only, and runs it", async () => {
    const { start, fake, host, name, spec } = await begin();
    await start();
    expect(host.domains.state(name)).toBe("running (booted)");
    expect(host.storage.read(memoryPool, volumes.secrets(spec.id))).toEqual(secretsDisk(spec.guest));
    expect(fake.world.guest(name).seeds.map(String).join()).toContain(`instance-id: ${spec.id}\n`);
    const onDisk = [...host.storage.files].filter(([path]) => !path.startsWith(memoryPath));
    expect(onDisk.filter(([, { content }]) => holdsSecret(content, spec))).toEqual([]);
  });

  it("gives libvirt no secret but as the input of one command", async () => {
    const { start, fake, spec } = await begin();
    await start();
    expect(holdsSecret(Buffer.from(JSON.stringify(fake.calls.map(({ args }) => args))), spec)).toBe(false);
    const carriers = fake.calls.filter(({ input }) => holdsSecret(input, spec));
    expect(carriers.map(({ args }) => args)).toEqual([
      ["vol-upload", "--pool", memoryPool, volumes.secrets(spec.id), "/dev/stdin"],
    ]);
  });

  it("of one that runs writes and changes nothing", async () => {
    const { start, fake, host, name } = await begin();
    await start();
    const { running } = host.domains.get(name);
    fake.calls.length = 0;
    await start();
    expect(host.domains.get(name).running).toBe(running);
    expect(new Set(fake.calls.map(({ args }) => args[0]))).toEqual(new Set(["domstate", "dumpxml"]));
  });

  it("after a halt tells the guest what is so now, and gives it the address it had", async () => {
    const { start, fake, host, name, spec, place } = await begin();
    await start();
    await eventually(() => fake.world.guest(name).isUp).toBe(true);
    const before = fake.world.guest(name).address;
    fake.world.powerOff(name);
    const guest = guestSpec({ envVars: { TOKEN: "another value" } });
    await start(place, { ...spec, guest });
    expect(host.storage.read(memoryPool, volumes.secrets(spec.id))).toEqual(secretsDisk(guest));
    await eventually(() => fake.world.guest(name).address).toBe(before);
  });

  it("of nothing, and of a domain of somebody else's, says that there is no such machine", async () => {
    const { start, place, host, name, spec } = await begin();
    expect(await failure(start(place, machineSpec()))).toMatchObject({ kind: "unavailable", code: noSuchMachine });
    const xml = host.domains.get(name).defined?.xml ?? "";
    host.domains.define(xml.replace("installation-1", "other"));
    expect(await failure(start())).toMatchObject({ kind: "unavailable", code: noSuchMachine });
    expect(host.storage.files.has(`${memoryPath}/${volumes.secrets(spec.id)}`)).toBe(false);
  });

  it("waits while its host puts away what ran it, and writes nothing before", async () => {
    const { start, fake } = await begin();
    await start();
    fake.calls.length = 0;
    fake.faults.add(/domstate/, { answer: "in shutdown (user)\n" }, 3);
    await start();
    expect(fake.seen(/domstate/)).toHaveLength(4);
    // Somebody else had started it by then.
    expect(fake.seen(/define|vol-/)).toEqual([]);
  });

  it("of one that its host holds leaves it to its host", async () => {
    const { start, fake } = await begin();
    await start();
    fake.calls.length = 0;
    fake.faults.add(/domstate/, { answer: "paused (I/O error)\n" });
    await start();
    expect(fake.seen(/start|define|vol-/)).toEqual([]);
  });

  it("by two services at once leads to a machine that runs, whole, once", async () => {
    for (let round = 0; round < 5; round++) {
      const { start, fake, host, name, spec } = await begin();
      const outcomes = await Promise.allSettled([start(), start(), start()]);
      expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
      await start();
      expect(host.domains.state(name)).toBe("running (booted)");
      expect(fake.world.guest(name).seeds.map(String).join()).toContain(spec.id);
      expect(host.domains.all()).toHaveLength(1);
    }
  });

  it("that the host refuses is an error, and the machine stays off and can be started later", async () => {
    const { start, fake, host, name } = await begin();
    fake.faults.add(/^h1 start/, { fail: "cannot set up guest memory 'pc.ram': Cannot allocate memory" });
    expect(await failure(start())).toMatchObject({ name: "VirshError" });
    expect(host.domains.state(name)).toMatch(/^shut off/);
    await start();
  });
});

describe.each(disturbances)("a start of which any one command %s", (disturbance) => {
  it("and which is repeated leads to a machine that runs and was told everything", async () => {
    const first = await begin();
    const steps = await stepsOf(first.place, first.start);
    expect(steps).toBeGreaterThanOrEqual(8);
    for (let at = 0; at < steps; at++) {
      const { start, place, host, fake, name, spec } = await begin();
      await start({ ...place, virsh: disturbed(place.virsh, at, disturbancesOn(host)[disturbance]) }).catch(() => {});
      await start();
      expect([at, host.domains.state(name)]).toEqual([at, "running (booted)"]);
      expect(host.storage.read(memoryPool, volumes.secrets(spec.id))).toEqual(secretsDisk(spec.guest));
      expect(fake.world.guest(name).seeds.map(String).join()).toContain(spec.id);
    }
  });
});

it("a start that is given up anywhere ends with the reason, and is taken up again", async () => {
  const first = await begin();
  const steps = await stepsOf(first.place, first.start);
  for (let at = 0; at < steps; at++) {
    const { place, inventory, spec, start, host, name } = await begin();
    const controller = new AbortController();
    const reason = new Error("enough");
    const virsh = disturbed(place.virsh, at, (command) => {
      controller.abort(reason);
      return command();
    });
    expect(await failure(startMachine({ ...place, virsh }, inventory, spec, controller.signal))).toBe(reason);
    await start();
    expect(host.domains.state(name)).toBe("running (booted)");
  }
});

describe("where a machine runs", () => {
  const cpuset = (root: ReturnType<typeof readOne>) => root.one("vcpu")?.attribute("cpuset");
  const node = (root: ReturnType<typeof readOne>) => root.one("numatune", "memory")?.attribute("nodeset");

  it("is anywhere for a small one", async () => {
    const { start, fake, defined } = await begin();
    await start();
    expect([cpuset(defined()), node(defined())]).toEqual([undefined, undefined]);
    expect(fake.seen(/freecell/)).toEqual([]);
  });

  it("is beside its GPUs, which it is given", async () => {
    const { start, host, defined } = await begin({ gpuAddresses: ["0000:81:00.0", "0000:82:00.0"] });
    await start();
    expect(node(defined())).toBe("1");
    expect(cpuset(defined())?.split(",").map(Number)).toEqual(host.hardware.cells[1]?.cpus);
    expect(defined().all("devices", "hostdev")).toHaveLength(2);
  });

  it("is where there is room for a large one, as it is at this start", async () => {
    const { start, fake, host, name, defined } = await begin({ vcpus: 16, memoryGib: 200 });
    const [first, second] = host.hardware.cells;
    if (first === undefined || second === undefined) throw new Error("BUG: a fake host without cells");
    first.freeKib = 1024 ** 2;
    await start();
    expect(node(defined())).toBe("1");
    fake.world.powerOff(name);
    [first.freeKib, second.freeKib] = [second.freeKib, 1024 ** 2];
    await start();
    expect(node(defined())).toBe("0");
  });

  it("is anywhere on a host with one node", async () => {
    const { start, place, host, spec, defined } = await begin({ vcpus: 16 });
    host.hardware.cells.splice(1);
    const inventory = await readInventory(place.virsh, place.settings, signal());
    await startMachine(place, inventory, spec, signal());
    expect(cpuset(defined())).toBeUndefined();
    await start();
  });

  it("is with other devices refused by a host without VFIO", async () => {
    const { start, host, name } = await begin({ gpuAddresses: ["0000:81:00.0"] });
    host.hardware.vfio = false;
    expect(await failure(start())).toMatchObject({ complaint: expect.stringMatching(/VFIO|passthrough/) });
    expect(host.domains.state(name)).toMatch(/^shut off/);
  });
});
