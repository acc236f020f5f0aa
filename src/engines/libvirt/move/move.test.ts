import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { isSampled } from "../../../../test/support/extent.ts";
import {
  type Bench,
  beginBench,
  contentsOf,
  type Disturbance,
  disturbances,
  disturbancesOn,
  disturbed,
  placeOn,
  stepsOf,
} from "../../../../test/support/fake-libvirt/bench.ts";
import { imageVolume } from "../../../../test/support/fake-libvirt/stand.ts";
import { guestSpec } from "../../../../test/support/machine-spec.ts";
import { EngineError, type MachineSpec, type MoveProgress } from "../../engine.ts";
import { checkLeftovers } from "../check/orphans.ts";
import { createMachine } from "../create.ts";
import { readCapabilities } from "../host/capabilities.ts";
import type { HostConnection } from "../host-connection.ts";
import { volumes } from "../labels.ts";
import { startMachine } from "../start.ts";
import { readOne } from "../xml/read.ts";
import { copyMachine } from "./copy.ts";
import { removeCopyOn } from "./remove-copy.ts";

const diskBytes = 400_000;
/** Of four calls for that disk. */
const pace = { copyMs: 0, partBytes: 100_000 };

interface Moving extends Bench {
  readonly moved: MachineSpec;
  readonly target: HostConnection;
  readonly before: { readonly h1: ReturnType<typeof contentsOf>; readonly h2: ReturnType<typeof contentsOf> };
  copy(copiedBytes: number, ends?: { source?: HostConnection; target?: HostConnection }): Promise<MoveProgress>;
  /** Calls as the reconciler does, until it is complete. */
  copyAll(ends?: { source?: HostConnection; target?: HostConnection }): Promise<void>;
  removeTarget(): Promise<void>;
  disk(host: string): Buffer;
}

/** A machine on h1 that has a disk with something on it, and is to move to h2. */
async function begin(part: Partial<MachineSpec> = {}): Promise<Moving> {
  const bench = await beginBench();
  const { fake, place, inventory } = bench;
  const spec = { ...bench.spec, ...part };
  const h2 = fake.world.host("h2");
  const before = { h1: contentsOf(bench.host), h2: contentsOf(h2) };
  await createMachine(place, inventory, spec, signal());
  write(bench, spec);
  const target = placeOn(bench, "h2");
  const moved = { ...spec, host: "h2", generation: 2 };
  const copy: Moving["copy"] = (copiedBytes, ends = {}) =>
    copyMachine({ source: place, target, inventory, ...ends }, moved, copiedBytes, pace, signal());
  const copyAll: Moving["copyAll"] = async (ends) => {
    let copied = 0;
    for (let call = 0; call < 100; call++) {
      try {
        const progress = await copy(copied, ends);
        if (progress.isComplete) return;
        copied = progress.copiedBytes;
      } catch (error) {
        if (error instanceof EngineError && error.kind === "refused") throw error;
      }
    }
    throw new Error("it is never complete");
  };
  const removeTarget = () => removeCopyOn(target, spec.id, async () => true, signal());
  const disk = (host: string) => fake.world.host(host).storage.read("default", volumes.disk(spec.id));
  fake.calls.length = 0;
  return { ...bench, spec, target, moved, before, copy, copyAll, removeTarget, disk };
}

function write({ host }: Bench, { id }: MachineSpec): void {
  host.storage.upload("default", volumes.disk(id), randomBytes(diskBytes));
}

describe("a copy", () => {
  it("is made in parts, says how far it is, and defines the machine when all bytes are there", async () => {
    const { copy, fake, name, disk } = await begin();
    expect(await copy(0)).toEqual({ isComplete: false, copiedBytes: 100_000, totalBytes: diskBytes });
    expect(await copy(100_000)).toMatchObject({ copiedBytes: 200_000 });
    expect(await copy(200_000)).toMatchObject({ copiedBytes: 300_000 });
    expect(fake.world.domains(name).map(({ host }) => host.name)).toEqual(["h1"]);
    expect(await copy(300_000)).toEqual({ isComplete: true, copiedBytes: diskBytes, totalBytes: diskBytes });
    expect(fake.world.domains(name).map(({ host, domain }) => [host.name, domain.running])).toEqual([
      ["h1", undefined],
      ["h2", undefined],
    ]);
    expect(disk("h2").equals(disk("h1"))).toBe(true);
    expect(fake.world.host("h2").storage.names("default")).not.toContain(volumes.copying(name.slice(7)));
  });

  it("never has more than a few parts of the disk in memory", async () => {
    const { copyAll, fake, name } = await begin();
    await copyAll();
    const sizes = fake.seen(/^h2 vol-upload/).map(({ input }) => input.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(pace.partBytes);
    expect(fake.seen(new RegExp(`^h1 vol-download --pool default ${name}.qcow2`)).length).toBeGreaterThan(3);
  });

  it("starts there with its disk, and the old one is as it was", async () => {
    const moving = await begin();
    const { copyAll, target, inventory, moved, fake, host, disk } = moving;
    const old = contentsOf(host);
    const content = disk("h1");
    await copyAll();
    expect(contentsOf(host)).toEqual(old);
    expect(await startMachine(target, inventory, moved, signal())).toBe("started");
    const { running } = fake.world.host("h2").domains.get(moving.name);
    await eventually(() => running?.guest.address).toMatch(/^127\.66\.2\./);
    expect(disk("h2").equals(content)).toBe(true);
  });

  it("gives it the GPUs of its new host, and rejects one that is something else there", async () => {
    const { engine, fake, moved, name, before } = await begin();
    const { hardware } = fake.world.host("h2");
    hardware.addGpu("0000:41:00.0");
    hardware.addGpu("0000:42:00.0", { class: "020000" });
    const wrong = { ...moved, gpuAddresses: ["0000:42:00.0"] };
    expect(await failure(engine.mover.copy(wrong, "h1", 0, signal()))).toMatchObject({ code: "gpu-missing" });
    expect(contentsOf(fake.world.host("h2"))).toEqual(before.h2);
    await engine.mover.copy({ ...moved, gpuAddresses: ["0000:41:00.0"] }, "h1", 0, signal());
    expect(fake.world.host("h2").domains.get(name).defined?.xml).toMatch(/<hostdev .*bus="0x41"/);
    expect(fake.world.host("h1").domains.get(name).defined?.xml).not.toMatch(/hostdev/);
  });

  it("begins anew where the disk has changed since, or the new host has lost it", async () => {
    const moving = await begin();
    const { copy, copyAll, target, disk } = moving;
    await copy(0);
    await copy(100_000);
    write(moving, moving.spec);
    expect(await copy(200_000)).toMatchObject({ copiedBytes: 100_000 });
    await target.virsh.call(["vol-delete", "--pool", "default", volumes.disk(moving.spec.id)], { signal: signal() });
    expect(await copy(200_000)).toMatchObject({ copiedBytes: 100_000 });
    await copyAll();
    expect(disk("h2").equals(disk("h1"))).toBe(true);
  });

  it("begins anew where the disk changes while its last part is copied", async () => {
    const moving = await begin();
    const { copy, copyAll, fake, disk, place, name } = moving;
    for (const copied of [0, 100_000, 200_000]) await copy(copied);
    const last = new RegExp(`^h1 vol-download --pool default ${name}.qcow2 /dev/stdout --offset 300000`);
    const writing: HostConnection = {
      ...place,
      virsh: {
        ...disturbed(place.virsh, -1, (command) => command()),
        bytes: async (args, options) => {
          const bytes = await place.virsh.bytes(args, options);
          if (last.test(`h1 ${args.join(" ")}`)) write(moving, moving.spec);
          return bytes;
        },
      },
    };
    expect(await copy(300_000, { source: writing })).toEqual({
      isComplete: false,
      copiedBytes: 0,
      totalBytes: diskBytes,
    });
    expect(fake.world.domains(name).length).toBe(1);
    await copyAll();
    expect(disk("h2").equals(disk("h1"))).toBe(true);
  });

  it.each(disturbances)("is whole, and the old one untouched, whichever command %s on either host", async (how) => {
    const counted = await begin();
    const steps = {
      source: await stepsOf(counted.place, (source) => counted.copyAll({ source })),
      target: 0,
    };
    const again = await begin();
    steps.target = await stepsOf(again.target, (target) => again.copyAll({ target }));
    for (const end of ["source", "target"] as const) {
      for (let at = 0; at < steps[end]; at++) {
        if (!isSampled(at + disturbances.indexOf(how), 3)) continue;
        const moving = await begin();
        const { fake, name, disk, place, target, copyAll, removeTarget, before } = moving;
        const host = fake.world.host(end === "source" ? "h1" : "h2");
        const disturbance: Disturbance = disturbancesOn(host)[how];
        const way = end === "source" ? place : target;
        const content = disk("h1");
        await copyAll({ [end]: { ...way, virsh: disturbed(way.virsh, at, disturbance) } });
        const where = `${end} ${at}`;
        expect(fake.world.domains(name).length, where).toBe(2);
        expect(disk("h1").equals(content), where).toBe(true);
        expect(disk("h2").equals(content), where).toBe(true);
        await removeTarget();
        expect(without(contentsOf(fake.world.host("h2"))), where).toEqual(without(before.h2));
      }
    }
  });
});

/** An interrupted check leaves an empty volume; nothing depends on it. */
function without({ files, ...others }: ReturnType<typeof contentsOf>) {
  return { ...others, files: files.filter(({ path }) => !path.includes("lessor-shared-")) };
}

describe("a move is rejected before anything is on the new host, where", () => {
  const rejected = async (moving: Moving) => {
    const error = await failure(moving.copy(0));
    expect(error).toMatchObject({ kind: "refused" });
    expect(contentsOf(moving.fake.world.host("h2"))).toEqual(moving.before.h2);
    await moving.removeTarget();
    expect(moving.disk("h1").length).toBe(diskBytes);
    return error instanceof EngineError ? error.code : error;
  };

  it("the image is missing there", async () => {
    const moving = await begin();
    moving.fake.world.host("h2").storage.delete("default", imageVolume);
    moving.before.h2.files.length = 0;
    expect(await rejected(moving)).toBe("image-missing");
  });

  it("the image there is another one", async () => {
    const moving = await begin();
    moving.fake.world.host("h2").storage.upload("default", imageVolume, Buffer.from("another"));
    expect(await rejected(moving)).toBe("image-differs");
  });

  it("the image there is at another place", async () => {
    const moving = await begin();
    const { host, spec } = moving;
    const { file } = host.storage.volume("default", volumes.disk(spec.id));
    const backing = { path: "/srv/images/debian-12.qcow2", format: "qcow2" };
    host.storage.write(`/var/lib/libvirt/images/${volumes.disk(spec.id)}`, { ...file, backing });
    expect(await rejected(moving)).toBe("image-differs");
  });

  it("both hosts have their disks in one place", async () => {
    const moving = await begin();
    const { host, fake, before } = moving;
    Object.assign(fake.world.host("h2").storage, { files: host.storage.files });
    before.h2.files.push(...contentsOf(host).files.slice(1));
    expect(await rejected(moving)).toBe("storage-shared");
  });

  it("too little is free", async () => {
    const moving = await begin();
    moving.fake.world.host("h2").storage.capacityBytes = 500_000;
    expect(await rejected(moving)).toBe("host-storage");
  });

  it("the machine has file systems, which stay on their host", async () => {
    const fileSystem = { id: crypto.randomUUID(), name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
    const moving = await begin({ guest: guestSpec({ fileSystems: [fileSystem] }) });
    expect(await rejected(moving)).toBe("file-system-local");
  });
});

describe("an earlier copy on the new host", () => {
  it("of another state of the disk is never taken for this one", async () => {
    const moving = await begin();
    const { copyAll, copy, removeTarget, disk } = moving;
    await copyAll();
    write(moving, moving.spec);
    expect(await failure(copy(0))).toMatchObject({ kind: "refused", code: "host-has-copy" });
    await removeTarget();
    await copyAll();
    expect(disk("h2").equals(disk("h1"))).toBe(true);
  });

  it("that was begun, from another state of the disk, is overwritten", async () => {
    const moving = await begin();
    const { copy, copyAll, disk } = moving;
    await copy(0);
    write(moving, moving.spec);
    await copyAll();
    expect(disk("h2").equals(disk("h1"))).toBe(true);
  });
});

describe("a copy is removed", () => {
  it("from the host that it has left, with all that belongs to it, if the new host has it", async () => {
    const { copyAll, place, target, inventory, moved, spec, host, before, fake, name } = await begin();
    await copyAll();
    await startMachine(target, inventory, moved, signal());
    expect(await failure(removeCopyOn(place, spec.id, async () => false, signal()))).toMatchObject({
      kind: "unavailable",
      code: "no-other-copy",
    });
    await removeCopyOn(place, spec.id, async () => true, signal());
    await removeCopyOn(place, spec.id, async () => false, signal());
    expect(contentsOf(host)).toEqual(before.h1);
    expect(fake.world.domain(name).host.name).toBe("h2");
    expect(fake.world.guest(name)).toBeDefined();
  });

  it.each([0, 1, 3, 4])("after %s calls that made it, without a question to the other host", async (calls) => {
    const { copy, target, spec, disk, fake, before, name } = await begin();
    let copied = 0;
    for (let call = 0; call < calls; call++) copied = (await copy(copied)).copiedBytes;
    const content = disk("h1");
    await removeCopyOn(target, spec.id, () => Promise.reject(new Error("not expected")), signal());
    expect(contentsOf(fake.world.host("h2"))).toEqual(before.h2);
    expect(fake.world.domain(name).host.name).toBe("h1");
    expect(disk("h1").equals(content)).toBe(true);
  });

  it("but nothing of somebody else, nor a disk that no move has brought", async () => {
    const { target, spec, fake } = await begin();
    const { storage } = fake.world.host("h2");
    storage.addVolume("default", volumes.disk(spec.id), { format: "qcow2", capacity: 1000 });
    const before = contentsOf(fake.world.host("h2"));
    await removeCopyOn(target, spec.id, async () => true, signal());
    expect(contentsOf(fake.world.host("h2"))).toEqual(before);
  });
});

describe("the engine", () => {
  it("moves between hosts of its own, never from one to itself", async () => {
    const { engine, spec, moved } = await begin();
    const { mover } = engine;
    expect(await mover.copy(moved, "h1", 0, signal())).toMatchObject({ isComplete: true });
    expect(await failure(mover.copy(moved, "h2", 0, signal()))).toMatchObject({ message: /^BUG: / });
    expect(await failure(mover.removeCopy(spec, "h1", signal()))).toMatchObject({ message: /^BUG: / });
    expect(await failure(mover.copy(moved, "gone", 0, signal()))).toMatchObject({ code: "host-unreachable" });
    await mover.removeCopy(spec, "h2", signal());
    expect((await engine.list(signal())).machines).toMatchObject([{ id: spec.id, host: "h2" }]);
  });

  it("says that a host does not respond, and which of both it is makes no difference", async () => {
    const { engine, moved, fake } = await begin();
    for (const host of ["h1", "h2"]) {
      fake.world.host(host).stopDaemon();
      expect(await failure(engine.mover.copy(moved, "h1", 0, signal()))).toMatchObject({
        kind: "unavailable",
        code: "host-unreachable",
      });
      fake.world.host(host).startDaemon();
    }
  });

  it("keeps the only copy that it knows of while the other host does not respond", async () => {
    const { engine, spec, moved, fake, inventory, target } = await begin();
    await engine.mover.copy(moved, "h1", 0, signal());
    await startMachine(target, inventory, moved, signal());
    fake.world.host("h2").stopDaemon();
    expect(await failure(engine.mover.removeCopy(spec, "h2", signal()))).toMatchObject({ kind: "unavailable" });
    expect(await engine.inspect(spec, signal())).toMatchObject({ power: "halted" });
  });
});

it("the check counts a disk that is being copied as no orphan", async () => {
  const { copy, target, host } = await begin();
  await copy(0);
  const capabilities = readCapabilities(readOne(host.hardware.capabilities()));
  const found: string[] = [];
  for await (const { verdict, detail } of checkLeftovers({ place: target, capabilities }, signal())) {
    found.push(`${verdict} ${detail}`);
  }
  expect(found).toEqual(["ok nothing"]);
});
