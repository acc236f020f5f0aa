import { describe, expect, it } from "vitest";
import { eventually, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";
import { instanceName } from "./labels.ts";

async function begin() {
  const stand = await beginStand();
  const hints: string[] = [];
  let gaps = 0;
  const unwatch = stand.engine.watch(
    (id) => hints.push(id),
    () => {
      gaps++;
    },
  );
  await eventually(() => gaps).toBe(1);
  return { ...stand, hints, gaps: () => gaps, unwatch };
}

const pathOf = (id: string) => `/1.0/instances/${instanceName(id)}`;

describe("watch", () => {
  it.each([
    "instance-started",
    "instance-restarted",
    "instance-stopped",
    "instance-shutdown",
    "instance-deleted",
    "instance-paused",
    "instance-resumed",
  ])("hints at a machine after %s, whoever did it", async (action) => {
    const { fake, hints } = await begin();
    const id = crypto.randomUUID();
    fake.emit(action, `${pathOf(id)}?project=default`);
    await eventually(() => hints).toEqual([id]);
  });

  it("is silent about everything else", async () => {
    const { fake, hints } = await begin();
    const [id, last] = [crypto.randomUUID(), crypto.randomUUID()];
    fake.emit("instance-started", "/1.0/instances/operators-own");
    fake.emit("instance-started", "/1.0/images/lessor");
    fake.emit("instance-updated", pathOf(id));
    fake.emit("instance-file-pushed", pathOf(id));
    fake.emit("instance-started", pathOf(last));
    await eventually(() => hints).toEqual([last]);
  });

  it("says when something may have been missed, to everyone who listens", async () => {
    const { fake, engine, gaps } = await begin();
    let others = 0;
    engine.watch(
      () => {},
      () => {
        others++;
      },
    );
    for (const socket of fake.eventSockets) socket.drop();
    await eventually(() => [gaps(), others]).toEqual([2, 1]);
    expect(fake.eventSockets.size).toBe(1);
  });

  it("tells nothing more after it was ended, and others still", async () => {
    const { fake, engine, hints, unwatch } = await begin();
    const others: string[] = [];
    engine.watch((id) => others.push(id));
    unwatch();
    const id = crypto.randomUUID();
    fake.emit("instance-started", pathOf(id));
    await eventually(() => others).toEqual([id]);
    expect(hints).toEqual([]);
  });

  it("is over when the engine is closed", async () => {
    const { fake, engine, hints } = await begin();
    await engine.close();
    await eventually(() => fake.eventSockets.size).toBe(0);
    expect(hints).toEqual([]);
  });
});

describe("a machine that boots", () => {
  it("is hinted at when its SSH answers, and is usable then", async () => {
    const { fake, engine, door, hints } = await begin();
    door.open = false;
    const spec = machineSpec();
    await engine.create(spec, signal());
    const report = await engine.start(spec, signal());
    expect(report).toMatchObject({ power: "running", usable: false, progress: "waiting for SSH to answer" });
    await eventually(() => door.knocks).toBeGreaterThan(2);
    hints.length = 0;
    door.open = true;
    await eventually(() => hints).toEqual([spec.id]);
    fake.requests.length = 0;
    expect(await engine.inspect(spec, signal())).toMatchObject({ usable: true, ip: "127.0.0.1", progress: undefined });
  });

  it("is waited for until it has an address, too", async () => {
    const { fake, engine, hints } = await begin();
    fake.world.guestAddress = undefined;
    const spec = machineSpec();
    await engine.create(spec, signal());
    const report = await engine.start(spec, signal());
    expect(report).toMatchObject({ usable: false, ip: undefined, progress: "waiting for an address" });
    // The event of its start.
    await eventually(() => hints).toEqual([spec.id]);
    const instance = fake.world.instances.get(instanceName(spec.id));
    if (instance === undefined) throw new Error("it is not there");
    instance.network = { eth0: { addresses: [{ family: "inet", address: "127.0.0.1", scope: "global" }] } };
    await eventually(() => hints).toEqual([spec.id, spec.id]);
    expect(await engine.inspect(spec, signal())).toMatchObject({ usable: true });
  });

  it("and halts is hinted at, so that nobody waits for its SSH", async () => {
    const { fake, engine, door, hints } = await begin();
    door.open = false;
    const spec = machineSpec();
    await engine.create(spec, signal());
    await engine.start(spec, signal());
    await eventually(() => hints).toEqual([spec.id]);
    fake.world.stop(instanceName(spec.id), true);
    await eventually(() => hints.length).toBeGreaterThan(1);
    const { knocks } = door;
    expect(await engine.inspect(spec, signal())).toMatchObject({ power: "halted" });
    expect(door.knocks).toBe(knocks);
  });
});

it("an operator's command is asked instead of a TCP connection, with the guest's address and its member's name", async () => {
  const command = [
    "/bin/sh",
    "-c",
    '[ "$0 $1 $2" = "m2 127.0.0.1 2222" ] && echo SSH-2.0-command',
    "{host}",
    "{ip}",
    "{port}",
  ];
  const { engine } = await beginStand({ hostPrefix: "east-", sshProbe: { kind: "command", command, port: 2222 } });
  const spec = machineSpec({ host: "east-m2" });
  await engine.create(spec, signal());
  await engine.start(spec, signal());
  expect(await engine.inspect(spec, signal())).toMatchObject({ host: "east-m2", usable: true });
});

describe("a machine that reboots from inside", () => {
  it("is not usable until its SSH answers again", async () => {
    const { fake, engine, door, hints } = await begin();
    const spec = machineSpec();
    await engine.create(spec, signal());
    expect(await engine.start(spec, signal())).toMatchObject({ usable: true });
    await eventually(() => hints.length).toBeGreaterThan(0);
    door.open = false;
    hints.length = 0;
    fake.world.stop(instanceName(spec.id), true);
    fake.world.start(instanceName(spec.id));
    await eventually(() => hints.length).toBe(2);
    expect(await engine.inspect(spec, signal())).toMatchObject({ power: "running", usable: false });
    expect((await engine.list(signal())).machines).toMatchObject([{ power: "running", usable: false }]);
    hints.length = 0;
    door.open = true;
    await eventually(() => hints).toEqual([spec.id]);
    expect(await engine.inspect(spec, signal())).toMatchObject({ usable: true });
  });

  it("is asked anew after the event alone, whatever the time of its start says", async () => {
    const { fake, engine, door, hints } = await begin();
    const spec = machineSpec();
    await engine.create(spec, signal());
    expect(await engine.start(spec, signal())).toMatchObject({ usable: true });
    await eventually(() => hints.length).toBeGreaterThan(0);
    hints.length = 0;
    door.open = false;
    fake.emit("instance-restarted", pathOf(spec.id));
    await eventually(() => hints).toEqual([spec.id]);
    expect(await engine.inspect(spec, signal())).toMatchObject({ usable: false });
  });
});
