// What users of the engine can rely on beyond the contract that all engines keep (engine.test.ts).

import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginBench, contentsOf } from "../../../test/support/fake-libvirt/bench.ts";
import { machineSpec } from "../../../test/support/fake-libvirt/stand.ts";
import { EngineError, hostUnreachable, noSuchMachine, type TerminalOrder } from "../engine.ts";
import { LibvirtEngine } from "./engine.ts";
import { domainName } from "./labels.ts";

const console: TerminalOrder = { kind: "console", columns: 80, rows: 24 };

/** A machine that was seen usable, and the hints since then. */
async function begin() {
  // Of those who ask short questions.
  const patience = new AbortController();
  const bench = await beginBench({}, (_place, within) => {
    return { signal: AbortSignal.any([within, patience.signal]), end: () => {} };
  });
  const { engine, spec, fake } = bench;
  const hints: string[] = [];
  let gaps = 0;
  engine.watch(
    (id) => hints.push(id),
    () => {
      gaps++;
    },
  );
  await eventually(() => gaps).toBe(3);
  await engine.create(spec, signal());
  await engine.start(spec, signal());
  const inspect = () => engine.inspect(spec, signal());
  await eventually(async () => (await inspect())?.usable).toBe(true);
  hints.length = 0;
  fake.calls.length = 0;
  return { ...bench, inspect, hints, gaps: () => gaps, losePatience: () => patience.abort(new Error("too late")) };
}

describe("a guest", () => {
  it("that has powered itself off is halted at once, although its host answers nothing about it for seconds", async () => {
    const { fake, host, name, spec, hints, inspect } = await begin();
    fake.faults.add(/^h1 domstate/, { hang: true });
    host.events.lifecycle(name, "Shutdown Finished after guest request");
    await eventually(() => hints).toContain(spec.id);
    expect(await inspect()).toMatchObject({ power: "halted", usable: false });
    // The next event is about what is now, and libvirt is asked again.
    host.events.lifecycle(name, "Stopped Shutdown");
    const asked = inspect();
    await eventually(() => fake.seen(/^h1 domstate/).length).toBeGreaterThan(0);
    asked.catch(() => {});
  });

  it("that powers itself off is hinted at, and then halted", async () => {
    const { fake, name, spec, hints, inspect } = await begin();
    fake.world.powerOff(name);
    await eventually(() => hints).toContain(spec.id);
    expect(await inspect()).toMatchObject({ power: "halted", usable: false, ip: undefined });
  });

  it("whose QEMU is killed is hinted at, and then halted", async () => {
    const { fake, name, spec, hints, inspect } = await begin();
    fake.world.crash(name);
    await eventually(() => hints).toContain(spec.id);
    expect(await inspect()).toMatchObject({ power: "halted", usable: false });
  });

  it("that reboots is hinted at, is never called halted, and is usable again by itself", async () => {
    const { fake, name, spec, hints, inspect } = await begin();
    const before = await inspect();
    fake.world.manners.bootMs = undefined;
    fake.world.reboot(name);
    await eventually(() => hints).toContain(spec.id);
    expect(await inspect()).toMatchObject({ power: "running", usable: false });
    hints.length = 0;
    fake.world.guest(name).boot();
    await eventually(() => hints).toContain(spec.id);
    expect(await inspect()).toEqual(before);
  });

  it("that was up before this engine began is found usable at the first look", async () => {
    const { another, spec } = await begin();
    expect(await another().inspect(spec, signal())).toMatchObject({ usable: true });
  });

  it("that was stopped and started again at once runs on", async () => {
    const { engine, spec, fake, name, inspect } = await begin();
    await engine.stop(spec, signal());
    await eventually(async () => (await inspect())?.power).toBe("halted");
    await engine.start(spec, signal());
    await eventually(async () => (await inspect())?.usable).toBe(true);
    expect(fake.world.domain(name).domain.running).toBeDefined();
    await engine.stop(spec, signal());
    await eventually(async () => (await inspect())?.power).toBe("halted");
    expect(fake.seen(/shutdown/)).toHaveLength(2);
  });
});

describe("a host that hangs", () => {
  it("is one that does not answer, to who asks a short question, and its machines are not gone", async () => {
    const { host, inspect, losePatience } = await begin();
    host.cut();
    const asked = failure(inspect());
    losePatience();
    expect(await asked).toMatchObject({ kind: "unavailable", code: hostUnreachable });
  });

  it("keeps nobody from the machines of others", async () => {
    const { fake, engine, inspect, spec, losePatience } = await begin();
    const other = machineSpec({ host: "h2" });
    await engine.create(other, signal());
    fake.world.host("h2").cut();
    expect(await inspect()).toMatchObject({ usable: true });
    fake.calls.length = 0;
    const listing = engine.list(signal());
    await eventually(() => [/^h1 dumpxml/, /^h3 domstats/].every((call) => fake.seen(call).length > 0)).toBe(true);
    losePatience();
    const { machines, unreachableHosts } = await listing;
    expect([machines.map(({ id }) => id), unreachableHosts]).toEqual([[spec.id], ["h2"]]);
  });

  it("is not what a caller is told who has given up himself", async () => {
    const { host, engine, spec } = await begin();
    host.cut();
    const controller = new AbortController();
    const calls = [
      engine.inspect(spec, controller.signal),
      engine.start(spec, controller.signal),
      engine.list(controller.signal),
    ].map(failure);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await Promise.all(calls)).toEqual([reason, reason, reason]);
  });
});

describe("a host whose daemon", () => {
  it("is away is one that does not answer, for every call", async () => {
    const { host, engine, spec } = await begin();
    host.stopDaemon();
    const calls = [
      () => engine.inspect(spec, signal()),
      () => engine.create(spec, signal()),
      () => engine.start(spec, signal()),
      () => engine.stop(spec, signal()),
      () => engine.remove(spec, signal()),
      () => engine.removeFileSystem({ id: spec.id, host: "h1" }, signal()),
      () => engine.consoleLog(spec, signal()),
      () => engine.openTerminal(spec, console, signal()),
      () => engine.identity(signal(), "h1"),
    ];
    for (const call of calls) {
      const error = await failure(call());
      expect(error).toMatchObject({ kind: "unavailable", code: hostUnreachable });
      expect(String(error)).not.toMatch(/127\.66|h1|refused|hypervisor/);
    }
    expect((await engine.list(signal())).unreachableHosts).toEqual(["h1"]);
  });

  it("was restarted tells of a gap, and of what happens from then on", async () => {
    const { host, fake, name, spec, hints, gaps, inspect } = await begin();
    host.restartDaemon();
    await eventually(gaps).toBe(4);
    fake.world.powerOff(name);
    await eventually(() => hints).toContain(spec.id);
    expect(await inspect()).toMatchObject({ power: "halted" });
  });
});

it("a host that was restarted has its machines halted, and starts them as they were", async () => {
  const { host, engine, spec, inspect } = await begin();
  const before = await inspect();
  host.reboot();
  expect(await inspect()).toMatchObject({ power: "halted" });
  await engine.start(spec, signal());
  await eventually(async () => await inspect()).toEqual(before);
});

describe("a host that is not in the settings", () => {
  const gone = machineSpec({ host: "h9" });

  it("is refused for a new machine", async () => {
    const { engine } = await beginBench();
    expect(await failure(engine.create(gone, signal()))).toMatchObject({ kind: "refused", code: "no-such-host" });
  });

  it("does not answer for one that may still be there", async () => {
    const { engine } = await beginBench();
    const calls = [
      engine.inspect(gone, signal()),
      engine.start(gone, signal()),
      engine.stop(gone, signal()),
      engine.remove(gone, signal()),
      engine.removeFileSystem({ id: gone.id, host: "h9" }, signal()),
      engine.identity(signal(), "h9"),
      engine.identity(signal()),
    ].map(failure);
    for (const error of await Promise.all(calls)) {
      expect(error).toMatchObject({ kind: "unavailable", code: hostUnreachable });
    }
  });
});

describe("other installations", () => {
  it("neither see our machines, nor can they be made to touch them", async () => {
    const { another, spec, host } = await begin();
    const other = another("installation-2");
    const before = contentsOf(host);
    expect(await other.inspect(spec, signal())).toBeUndefined();
    expect((await other.list(signal())).machines).toEqual([]);
    const refused = (code: string) => ({ kind: "unavailable", code });
    expect(await failure(other.create(spec, signal()))).toMatchObject(refused("not-ours"));
    expect(await failure(other.remove(spec, signal()))).toMatchObject(refused("not-ours"));
    expect(await failure(other.start(spec, signal()))).toMatchObject(refused(noSuchMachine));
    expect(await failure(other.stop(spec, signal()))).toMatchObject(refused(noSuchMachine));
    expect(await failure(other.consoleLog(spec, signal()))).toMatchObject(refused(noSuchMachine));
    expect(await failure(other.openTerminal(spec, console, signal()))).toMatchObject(refused(noSuchMachine));
    expect(contentsOf(host)).toEqual(before);
  });

  it("and engines of another name see them as little", async () => {
    const { another, spec } = await begin();
    const other = another("installation-1", { name: "other" });
    expect(await other.inspect(spec, signal())).toBeUndefined();
  });
});

describe("two engines on the same hosts", () => {
  it("that remove and start at once leave nothing that a second remove does not", async () => {
    const { engine, another, spec, host } = await begin();
    const empty = contentsOf(host).files.filter(({ path }) => !path.includes(spec.id));
    await engine.stop(spec, signal());
    await eventually(async () => (await engine.inspect(spec, signal()))?.power).toBe("halted");
    await Promise.allSettled([another().start(spec, signal()), engine.remove(spec, signal())]);
    await engine.remove(spec, signal());
    expect(contentsOf(host)).toEqual({ domains: [], files: empty, filters: [], reservations: [] });
  });

  it("that stop at once halt it once", async () => {
    const { engine, another, spec, inspect } = await begin();
    const other = another();
    await Promise.all([engine.stop(spec, signal()), other.stop(spec, signal())]);
    await eventually(async () => (await inspect())?.power).toBe("halted");
    await engine.start(spec, signal());
    await eventually(async () => (await inspect())?.usable).toBe(true);
  });
});

it("an error holds what libvirt said only as its cause", async () => {
  const { engine, fake } = await beginBench();
  const spec = machineSpec();
  fake.faults.add(/^h1 define/, { fail: `internal error: something of /secret/path and ${domainName(spec.id)}` });
  const error = await failure(engine.create(spec, signal()));
  if (!(error instanceof EngineError)) throw new Error("it is no EngineError");
  expect(error.message).not.toMatch(/secret|lessor/);
  expect(String(error.cause)).toContain("/secret/path");
});

it("an engine that is closed follows nothing, and is silent", async () => {
  const { engine, fake, name, hints } = await begin();
  await engine.close();
  expect([...fake.world.hosts.values()].map(({ events }) => events.followers)).toEqual([0, 0, 0]);
  fake.world.powerOff(name);
  expect(hints).toEqual([]);
});

it("an engine connects to nothing before it is asked for something", async () => {
  const { fake, settings } = await beginBench();
  const engine = new LibvirtEngine(settings, "i", { connect: (uri) => fake.virsh(uri) });
  onTestFinished(() => engine.close());
  await new Promise((resolve) => setImmediate(resolve));
  expect(fake.calls).toEqual([]);
});
