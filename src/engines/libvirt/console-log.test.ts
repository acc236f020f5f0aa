import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, signal } from "../../../test/support/engine-calls.ts";
import { beginBench } from "../../../test/support/fake-libvirt/bench.ts";
import { ConsoleLogs } from "./console-log.ts";
import { createMachine } from "./create.ts";
import { startMachine } from "./start.ts";

/** A machine that boots when it is told, and is listened to. */
async function begin() {
  const bench = await beginBench();
  const { place, inventory, spec, fake, name } = bench;
  fake.world.manners.bootMs = undefined;
  const logs = new ConsoleLogs();
  onTestFinished(() => logs.close());
  const start = async () => {
    await startMachine(place, inventory, spec, signal());
    logs.begin(place, spec.id);
    await eventually(() => fake.world.consoles.filter(({ isOver }) => !isOver).length).toBe(1);
    const [session] = fake.world.consoles.filter(({ isOver }) => !isOver);
    if (session === undefined) throw new Error("BUG: the console is not read");
    return session;
  };
  await createMachine(place, inventory, spec, signal());
  return { ...bench, logs, start, read: () => logs.of(spec.id), boot: () => fake.world.guest(name).boot() };
}

describe("the console log", () => {
  it("is what the machine wrote since it was last started", async () => {
    const { fake, name, start, boot, read } = await begin();
    await start();
    boot();
    await eventually(read).toBe(`${name} login: `);
    fake.world.powerOff(name);
    expect(read()).toBe(`${name} login: `);
    const session = await start();
    expect(read()).toBe("");
    session.show("anew");
    expect(read()).toBe("anew");
  });

  it("is nothing of a machine whose console was never read", async () => {
    const { logs } = await begin();
    expect(logs.of("another")).toBe("");
  });

  it("is the end of one that is very long", async () => {
    const { start, read } = await begin();
    const session = await start();
    session.show("a".repeat(300_000));
    session.show("b".repeat(1000));
    expect(read().length).toBe(256 * 1024);
    expect(read()).toMatch(/^a+b{1000}$/);
  });

  it("stays as it was when an interactive session takes the console over", async () => {
    const { place, name, start, read } = await begin();
    const session = await start();
    session.show("before");
    const other = await place.virsh.console({ domain: name }, signal());
    expect(session.isOver).toBe(true);
    expect(read()).toBe("before");
    other.close();
  });

  it("goes with its machine, and its console is read no longer", async () => {
    const { logs, spec, start, read } = await begin();
    const session = await start();
    session.show("something");
    logs.forget(spec.id);
    expect([read(), session.isOver]).toEqual(["", true]);
  });

  it("is kept of so many machines and no more: the oldest goes first", async () => {
    const { place, logs, spec, start, read } = await begin();
    const session = await start();
    session.show("something");
    for (let count = 0; count < 999; count++) logs.begin(place, crypto.randomUUID());
    expect(read()).toBe("something");
    logs.begin(place, crypto.randomUUID());
    expect([read(), session.isOver]).toEqual(["", true]);
    expect(spec.id).not.toBe("");
  });

  it("ends with the engine", async () => {
    const { logs, start } = await begin();
    const session = await start();
    logs.close();
    expect(session.isOver).toBe(true);
  });
});
