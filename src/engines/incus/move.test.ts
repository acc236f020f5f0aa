import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec, type Stand } from "../../../test/support/fake-incus/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import type { MachineSpec, Mover } from "../engine.ts";
import { instanceName } from "./labels.ts";
import { moveInstance } from "./move.ts";

const moves = /^\/1\.0\/instances\/[^/]+$/;

interface Moving extends Stand {
  readonly mover: Mover;
  readonly moved: MachineSpec;
  where(): string | undefined;
  /** As the engine, without the wait for what goes on in the cluster. */
  copy(): Promise<boolean>;
  begun(): number;
}

/** A machine on m1 that is to move to m2. */
async function begin(part: Partial<MachineSpec> = {}): Promise<Moving> {
  const stand = await beginStand();
  const { engine, fake, cluster } = stand;
  const spec = machineSpec(part);
  await engine.create(spec, signal());
  const { mover } = engine;
  if (mover === undefined) throw new Error("a cluster moves machines");
  const moved = { ...spec, host: "m2", generation: 2 };
  return {
    ...stand,
    mover,
    moved,
    where: () => fake.world.instances.get(instanceName(spec.id))?.location,
    copy: async () => (await moveInstance(cluster, moved, signal(), 0)).isComplete,
    begun: () => fake.seen("POST", moves).length,
  };
}

describe("a move", () => {
  it("is begun once, and goes on in the cluster while it is asked for again", async () => {
    const { fake, copy, begun, where } = await begin();
    fake.operations.impatience = 100;
    fake.faults.add("POST", moves, { hold: true });
    for (let call = 0; call < 3; call++) expect(await copy()).toBe(false);
    expect([begun(), where()]).toEqual([1, "m1"]);
    const [operation] = fake.operations.running();
    fake.operations.settle(operation?.id ?? "");
    expect(await copy()).toBe(true);
    expect(await copy()).toBe(true);
    expect([begun(), where()]).toEqual([1, "m2"]);
    const [request] = fake.seen("POST", moves);
    expect(request?.query.target).toBe("m2");
    expect(JSON.parse(request?.body.toString() ?? "")).toMatchObject({ migration: true, live: false });
  });

  it("whose response is lost is found, and not begun twice", async () => {
    const { fake, copy, begun, where } = await begin();
    fake.operations.impatience = 100;
    fake.faults.add("POST", moves, { hold: true, drop: "after" });
    expect(await failure(copy())).toMatchObject({ name: "NoAnswer" });
    expect(await copy()).toBe(false);
    for (const { id } of fake.operations.running()) fake.operations.settle(id);
    expect(await copy()).toBe(true);
    expect([begun(), where()]).toEqual([1, "m2"]);
  });

  it("does not wait for a command in the machine to which nothing was ever connected", async () => {
    const { fake, moved, copy, where } = await begin();
    const resources = { instances: [`/1.0/instances/${instanceName(moved.id)}`] };
    fake.operations.begin(
      { held: true, fails: undefined, description: "Executing command", resources },
      () => undefined,
    );
    expect(await copy()).toBe(true);
    expect(where()).toBe("m2");
  });

  it("that fails in the cluster is told, leaves the machine where it is, and is begun anew", async () => {
    const { fake, mover, moved, where } = await begin();
    fake.faults.add("POST", moves, { operationFails: "Failed migration: no space left on device" });
    expect(await failure(mover.copy(moved, "m1", 0, signal()))).toMatchObject({
      kind: "unavailable",
      code: "host-full",
    });
    expect(where()).toBe("m1");
    expect(await mover.copy(moved, "m1", 0, signal())).toMatchObject({ isComplete: true });
    expect(where()).toBe("m2");
  });

  it("of a machine that runs is never begun, because the cluster would halt it", async () => {
    const { fake, engine, mover, moved, begun } = await begin();
    await engine.start({ ...moved, host: "m1" }, signal());
    expect(await failure(mover.copy(moved, "m1", 0, signal()))).toMatchObject({
      kind: "unavailable",
      code: "machine-running",
    });
    expect(begun()).toBe(0);
    expect(fake.world.instances.get(instanceName(moved.id))?.status).toBe("Running");
  });

  it("gives the machine the GPUs of its new host, also where that was interrupted", async () => {
    const { fake, mover, moved } = await begin({ gpuAddresses: ["0000:01:00.0", "0000:02:00.0"] });
    const there = { ...moved, gpuAddresses: ["0000:81:00.0", "0000:82:00.0"] };
    fake.faults.add("PATCH", moves, { drop: "before" });
    expect(await failure(mover.copy(there, "m1", 0, signal()))).toMatchObject({ kind: "unavailable" });
    expect(await mover.copy(there, "m1", 0, signal())).toMatchObject({ isComplete: true });
    const gpus = () => {
      const { devices = {} } = fake.world.instances.get(instanceName(moved.id)) ?? {};
      return [devices.gpu0?.pci, devices.gpu1?.pci, devices.eth0?.network];
    };
    expect(gpus()).toEqual(["0000:81:00.0", "0000:82:00.0", "lxdbr0"]);
    const before = fake.seen("PATCH", moves).length;
    expect(await mover.copy(there, "m1", 0, signal())).toMatchObject({ isComplete: true });
    expect(fake.seen("PATCH", moves).length).toBe(before);
  });

  it("of a machine with file systems is refused where they are on its host's own storage", async () => {
    const fileSystem = { id: crypto.randomUUID(), name: "data", sizeGb: 1, mountPoint: "/mnt/data" };
    const { mover, moved, begun, where } = await begin({ guest: guestSpec({ fileSystems: [fileSystem] }) });
    expect(await failure(mover.copy(moved, "m1", 0, signal()))).toMatchObject({
      kind: "refused",
      code: "file-system-local",
    });
    expect([begun(), where()]).toEqual([0, "m1"]);
  });

  it("of somebody else's instance is not begun", async () => {
    const { fake, mover, moved, begun } = await begin();
    const instance = fake.world.instances.get(instanceName(moved.id));
    if (instance !== undefined) instance.config = {};
    expect(await failure(mover.copy(moved, "m1", 0, signal()))).toMatchObject({ code: "not-ours" });
    expect(begun()).toBe(0);
  });
});

describe("the end of a move that is given up", () => {
  it("waits for what goes on in the cluster, and removes nothing", async () => {
    const { fake, engine, mover, moved, copy, where } = await begin();
    fake.operations.impatience = 100;
    fake.faults.add("POST", moves, { hold: true });
    await copy();
    expect(mover.keepsSource).toBe(false);
    expect(await failure(mover.removeCopy(moved, "m1", signal()))).toMatchObject({
      kind: "unavailable",
      code: "machine-busy",
    });
    for (const { id } of fake.operations.running()) fake.operations.settle(id);
    for (const copyOn of ["m1", "m2"]) {
      await mover.removeCopy({ id: moved.id, host: copyOn }, copyOn === "m1" ? "m2" : "m1", signal());
    }
    expect(where()).toBe("m2");
    expect((await engine.list(signal())).machines).toMatchObject([{ id: moved.id, host: "m2" }]);
  });

  it("of a machine that is not there has nothing to do", async () => {
    const { mover } = await begin();
    await mover.removeCopy({ id: crypto.randomUUID(), host: "m2" }, "m1", signal());
  });
});

it("a server without a cluster moves nothing, and says so when it knows", async () => {
  const { fake, engine } = await beginStand();
  fake.world.clustered = false;
  const spec = machineSpec();
  await engine.create(spec, signal());
  expect(engine.mover).toBeUndefined();
});
