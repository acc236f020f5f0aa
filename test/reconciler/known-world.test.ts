// An engine that shows another world than its machines are in, and one that is no longer configured: nothing is concluded.

import { describe, expect, it } from "vitest";
import { type Engine, EngineError } from "../../src/engines/engine.ts";
import { loseMachine } from "../../src/engines/simulated/database.ts";
import { EngineIdentities } from "../../src/reconciler/engine-identities.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

/** The simulated engine as it would be if it were pointed elsewhere: another identity, and `sees` of its machines. */
function elsewhere(identity: string, sees: "everything" | "nothing"): Engine {
  const engine = stage.engine();
  const seesNothing = sees === "nothing";
  return {
    ...wrapped(engine),
    identity: async () => identity,
    list: async (signal) => (seesNothing ? { machines: [], unreachableHosts: [] } : engine.list(signal)),
    inspect: async (machine, signal) => (seesNothing ? undefined : engine.inspect(machine, signal)),
  };
}

/** Every call passed on. */
function wrapped(engine: Engine): Engine {
  return {
    name: engine.name,
    worlds: engine.worlds,
    identity: (signal, host) => engine.identity(signal, host),
    hosts: (signal) => engine.hosts(signal),
    create: (spec, signal) => engine.create(spec, signal),
    start: (spec, signal) => engine.start(spec, signal),
    stop: (machine, signal) => engine.stop(machine, signal),
    remove: (machine, signal) => engine.remove(machine, signal),
    removeFileSystem: (one, signal) => engine.removeFileSystem(one, signal),
    measureFileSystem: (one, signal) => engine.measureFileSystem(one, signal),
    inspect: (machine, signal) => engine.inspect(machine, signal),
    list: (signal) => engine.list(signal),
    watch: (onChange, onGap) => engine.watch(onChange, onGap),
    consoleLog: (machine, signal) => engine.consoleLog(machine, signal),
    openTerminal: (machine, order, signal) => engine.openTerminal(machine, order, signal),
    close: () => engine.close(),
  };
}

/** Two active instances, and no server running. */
async function twoActive(): Promise<string[]> {
  await stage.host();
  const first = stage.reconciler();
  const ids = [await stage.launchOne(), await stage.launchOne()].map(({ id }) => id);
  await first.idle();
  await first.sweepNow();
  await first.stop();
  return ids;
}

const errors = () => stage.logged.filter(({ level }) => level === "error").map(({ message }) => message);

describe("an engine that shows another world, with none of our machines", () => {
  it("ends no rental, makes and removes nothing, and an operator is told", async () => {
    const ids = await twoActive();
    const { id: wanted } = await stage.launchOne();
    const reconciler = stage.reconciler({}, elsewhere("another project", "nothing"));
    await expect(reconciler.sweepNow()).rejects.toMatchObject({ code: "engine-changed" });
    for (const id of ids) expect(await stage.state(id)).toBe("active");
    expect(await stage.state(wanted)).toBe("booting");
    expect((await stage.machines()).length).toBe(2);
    expect(errors().join()).toContain("engine identity changed");
    await reconciler.stop();
    // Pointed at the right one again, it goes on.
    const fixed = stage.reconciler();
    await fixed.sweepNow();
    await expect.poll(() => stage.state(wanted)).toBe("active");
  });

  it("is not taken while a file system is in the one that was, attached to nothing", async () => {
    const host = await stage.host();
    const first = stage.reconciler();
    await first.sweepNow();
    await first.stop();
    const { accountId: account_id } = await stage.world.account();
    const place = { engine: "simulated", host };
    await stage.db
      .insertInto("file_systems")
      .values({ id: crypto.randomUUID(), account_id, name: "data", region: "north", size_gb: 1, ...place })
      .execute();
    const reconciler = stage.reconciler({}, elsewhere("another cluster", "nothing"));
    await expect(reconciler.sweepNow()).rejects.toMatchObject({ code: "engine-changed" });
  });

  it("is taken where nothing of it was ever active", async () => {
    await stage.host();
    const first = stage.reconciler();
    await first.sweepNow();
    await first.stop();
    await stage.reconciler({}, elsewhere("another cluster", "everything")).sweepNow();
    expect(errors()).toEqual([]);
  });
});

it("an engine whose identity changed and that still has one of our machines is believed, also of those that are gone", async () => {
  const [here = "", gone = ""] = await twoActive();
  await loseMachine(stage.db, gone);
  const reconciler = stage.reconciler({}, elsewhere("a new certificate", "everything"));
  await reconciler.sweepNow();
  await reconciler.idle();
  expect([await stage.state(here), await stage.state(gone)]).toEqual(["active", "terminated"]);
  expect(errors()).toEqual([]);
});

describe("an engine whose hosts are worlds of their own", () => {
  /** Two hosts with an active instance each; no server running. */
  async function oneOnEach(): Promise<{ changed: string; same: string }> {
    const hosts = [await stage.host({ gpus: 1 }), await stage.host({ gpus: 1 })];
    const first = stage.reconciler();
    const ids = [await stage.launchOne(), await stage.launchOne()].map(({ id }) => id);
    await first.idle();
    await first.stop();
    const on = async (host: string) => {
      for (const id of ids) if ((await stage.row(id)).host === host) return id;
      throw new Error("the two should be on two hosts");
    };
    return { changed: await on(hosts[0] ?? ""), same: await on(hosts[1] ?? "") };
  }

  /** The first of its hosts says that it is `identity`, and shows no machine. */
  async function withStranger(changed: string, identity: string): Promise<Engine> {
    const engine = stage.engine();
    const { host: stranger } = await stage.row(changed);
    const worlds = (await stage.db.selectFrom("hosts").select("name").execute()).map(({ name }) => name);
    return {
      ...wrapped(engine),
      worlds,
      identity: async (_, host) => (host === stranger ? identity : `${host}`),
      list: async (signal) => {
        const { machines, unreachableHosts } = await engine.list(signal);
        return {
          machines: machines.filter(({ host }) => host !== stranger || identity === stranger),
          unreachableHosts,
        };
      },
      inspect: async (machine, signal) => {
        const isGone = machine.host === stranger && identity !== stranger;
        return isGone ? undefined : engine.inspect(machine, signal);
      },
    };
  }

  it("has one of them exchanged: its rentals go on, unreachable, it takes nothing new, and the others serve", async () => {
    const { changed, same } = await oneOnEach();
    const { host } = await stage.row(changed);
    const known = stage.reconciler({}, await withStranger(changed, host));
    await known.sweepNow();
    await known.stop();
    const reconciler = stage.reconciler({}, await withStranger(changed, "another machine"));
    await reconciler.sweepNow();
    await reconciler.idle();
    expect([await stage.state(changed), await stage.state(same)]).toEqual(["active", "active"]);
    const health = async (id: string) => (await stage.row(id)).health;
    expect([await health(changed), await health(same)]).toEqual(["unreachable", "ok"]);
    const available = await stage.db.selectFrom("hosts").select(["name", "available"]).execute();
    expect(available.filter((one) => !one.available).map(({ name }) => name)).toEqual([host]);
    expect(errors().join()).toContain("host identity changed");
    await reconciler.stop();
    // Pointed at the right one again, it goes on.
    const fixed = stage.reconciler({}, await withStranger(changed, host));
    await fixed.sweepNow();
    await expect.poll(() => health(changed)).toBe("ok");
    expect((await stage.machines()).length).toBe(2);
  });

  it("has one of them exchanged between its check and the listing: it counts as unreachable since before", async () => {
    const { changed } = await oneOnEach();
    const { host } = await stage.row(changed);
    const since = async () =>
      (
        await stage.db
          .selectFrom("hosts")
          .select("unreachable_since")
          .where("name", "=", host ?? "")
          .executeTakeFirst()
      )?.unreachable_since;
    const [before, after] = [await withStranger(changed, host), await withStranger(changed, "another machine")];
    let phase: "before" | "exchanged" | "after" = "before";
    const shown = () => (phase === "before" ? before : after);
    const exchanging: Engine = {
      ...after,
      identity: async (signal, one) => {
        if (one === host && phase === "exchanged") throw new EngineError("unavailable", "gone", "It does not answer.");
        return shown().identity(signal, one);
      },
      list: (signal) => shown().list(signal),
      inspect: (machine, signal) => shown().inspect(machine, signal),
    };
    const reconciler = stage.reconciler({}, exchanging);
    await reconciler.sweepNow();
    expect((await stage.row(changed)).health).toBe("ok");
    phase = "exchanged";
    await reconciler.sweepNow();
    const first = await since();
    expect(first).toBeInstanceOf(Date);
    expect((await stage.row(changed)).health).toBe("unreachable");
    phase = "after";
    await reconciler.sweepNow();
    expect(await since()).toEqual(first);
    expect(errors().join()).toContain("host identity changed");
  });

  it("has one of them reinstalled between its check and the listing: it was not reached since", async () => {
    const { changed } = await oneOnEach();
    const { host } = await stage.row(changed);
    const since = async () => (await readHost(stage.db, host)).unreachableSince;
    const [before, after] = [await withStranger(changed, host), await withStranger(changed, "another machine")];
    let shown = before;
    /** What happens to the host when it is asked for its machines. */
    let befalls: "nothing" | "dies" | "is reinstalled" = "nothing";
    const reconciler = stage.reconciler(
      {},
      {
        ...before,
        identity: (signal, one) => shown.identity(signal, one),
        list: async (signal) => {
          if (befalls === "dies") return { machines: [], unreachableHosts: [host] };
          if (befalls === "is reinstalled") shown = after;
          return shown.list(signal);
        },
        inspect: (machine, signal) => shown.inspect(machine, signal),
      },
    );
    await reconciler.sweepNow();
    expect(await since()).toBeNull();
    befalls = "dies";
    await reconciler.sweepNow();
    const first = await since();
    expect(first).toBeInstanceOf(Date);
    befalls = "is reinstalled";
    await reconciler.sweepNow();
    expect(await since()).toEqual(first);
    expect(await stage.row(changed)).toMatchObject({ state: "active", health: "unreachable" });
    expect(errors().join()).toContain("host identity changed");
  });

  it("was last reached when it was checked, not when what it is now was listed", async () => {
    const { changed } = await oneOnEach();
    const { host } = await stage.row(changed);
    const [before, after] = [await withStranger(changed, host), await withStranger(changed, "another machine")];
    let shown = before;
    let [isReinstalled, answeredAt] = [false, 0];
    const reconciler = stage.reconciler(
      {},
      {
        ...before,
        identity: async (signal, one) => {
          if (one === host && shown === before) answeredAt = Date.now();
          return shown.identity(signal, one);
        },
        list: async (signal) => {
          if (isReinstalled) shown = after;
          // So that the two times differ.
          await new Promise((resolve) => setTimeout(resolve, 20));
          return shown.list(signal);
        },
        inspect: (machine, signal) => shown.inspect(machine, signal),
      },
    );
    await reconciler.sweepNow();
    isReinstalled = true;
    await reconciler.sweepNow();
    await reconciler.sweepNow();
    const { unreachableSince } = await readHost(stage.db, host);
    expect(unreachableSince).toBeInstanceOf(Date);
    expect(unreachableSince?.getTime()).toBeLessThanOrEqual(answeredAt);
    expect(await stage.state(changed)).toBe("active");
  });
});

it("a halt that nobody ordered is believed only when it lasts", async () => {
  const [id = ""] = await twoActive();
  const engine = stage.engine();
  let halted = true;
  const rebooting: Engine = {
    ...wrapped(engine),
    inspect: async (machine, signal) => {
      const report = await engine.inspect(machine, signal);
      if (!halted || report === undefined || machine.id !== id) return report;
      return { ...report, power: "halted", usable: false, ip: undefined, mayComeBack: true };
    },
  };
  const reconciler = stage.reconciler({ rebootSeconds: 0.2, pollSeconds: 0.02 }, rebooting);
  const look = () =>
    stage.db
      .updateTable("instances")
      .set({ next_look_at: new Date(0) })
      .where("id", "=", id)
      .execute();
  await look();
  reconciler.poke();
  await expect.poll(async () => (await stage.row(id)).next_look_at?.getTime()).toBeGreaterThan(1000);
  expect(await stage.state(id)).toBe("active");
  // It was a reboot, so the next halt is looked at anew.
  halted = false;
  await look();
  reconciler.poke();
  await expect.poll(async () => (await stage.row(id)).next_look_at).toBe(null);
  halted = true;
  await look();
  reconciler.poke();
  await expect.poll(() => stage.state(id)).toBe("stopped");
});

it("a check that began before a newer one found another world does not undo that", async () => {
  const [id = ""] = await twoActive();
  const { host } = await stage.row(id);
  const late = Promise.withResolvers<string>();
  const answers = [Promise.resolve("original"), late.promise, Promise.resolve("reinstalled")];
  const engine: Engine = {
    ...elsewhere("unused", "nothing"),
    worlds: [host],
    identity: () => answers.shift() ?? Promise.reject(new Error("asked too often")),
  };
  const worlds = new EngineIdentities(stage.db, engine, stage.log);
  const signal = AbortSignal.timeout(30_000);
  await worlds.check(signal);
  expect(worlds.unknown()).toEqual(new Set());
  const older = worlds.check(signal);
  await worlds.check(signal);
  expect(worlds.unknown()).toEqual(new Set([host]));
  late.resolve("original");
  await older;
  expect(worlds.unknown()).toEqual(new Set([host]));
});

it("a machine that turns up after its rental was ended for want of it is left to an operator", async () => {
  const [id = ""] = await twoActive();
  await stage.db
    .updateTable("instances")
    .set({
      state: "terminated",
      terminating_at: new Date(),
      terminated_at: new Date(),
      failure_code: "machine-lost",
      failure_message: "It was gone.",
    })
    .where("id", "=", id)
    .execute();
  const reconciler = stage.reconciler();
  await reconciler.sweepNow();
  await reconciler.sweepNow();
  // It may be the sweep of the start that confirms it, and that is not waited for.
  await expect.poll(() => errors().join()).toContain("remove it manually");
  expect((await stage.machines()).length).toBe(2);
});

it("hosts of an engine that is no longer in the settings take nothing new, and an operator is told", async () => {
  await twoActive();
  const other: Engine = {
    ...wrapped(stage.engine()),
    name: "other",
    hosts: async () => [],
    list: async () => ({ machines: [], unreachableHosts: [] }),
  };
  stage.reconciler({}, other);
  const available = async () =>
    (await stage.db.selectFrom("hosts").select("available").execute()).map((row) => row.available);
  await expect.poll(available).toEqual([false]);
  expect(stage.logged).toContainEqual(
    expect.objectContaining({ level: "error", engine: "simulated", hosts: 1, instances: 2 }),
  );
});
