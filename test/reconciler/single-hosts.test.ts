// Hosts that are resynced alone, between full resyncs, when their connection was lost or is there again: of an engine
// whose hosts have identities of their own.

import { beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engines/engine.ts";
import { killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { declareLost } from "../../src/rental/hosts/declare-lost.ts";
import { auditEverything } from "../support/audit.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

/** What the engine was asked: the hosts, or all. */
let asked: (readonly string[] | "all")[];
/** Runs before a list of all hosts responds. */
let beforeAll: () => Promise<void>;
let gap: (host: string) => void;
let host: string;
let other: string;
let reconciler: Reconciler;
let launched: Launched;

beforeEach(async () => {
  [host, other] = [await stage.host({ gpus: 1 }), await stage.host({ gpus: 1 })];
  [asked, beforeAll] = [[], async () => {}];
  reconciler = stage.reconciler({}, engineOf([host, other]));
  const both = [await stage.launchOne(), await stage.launchOne()];
  await reconciler.idle();
  await reconciler.sweepNow();
  const [on] = await Promise.all(both.map(async (one) => ({ ...one, host: (await stage.row(one.id)).host })));
  if (on === undefined) throw new Error("BUG: two were launched");
  launched = on;
  [host, other] = on.host === host ? [host, other] : [other, host];
  asked = [];
});

function engineOf(worlds: readonly string[]): Engine {
  const engine = stage.engine();
  const identity: Engine["identity"] = async (_, name) => `${name}`;
  const hosts: Engine["hosts"] = async (signal, only) => {
    asked.push(only ?? "all");
    return (await engine.hosts(signal)).filter(({ name }) => only?.includes(name) !== false);
  };
  const list: Engine["list"] = async (signal, only) => {
    const { machines, unreachableHosts } = await engine.list(signal);
    if (only === undefined) await beforeAll();
    return {
      machines: machines.filter((one) => only?.includes(one.host) !== false),
      unreachableHosts: unreachableHosts.filter((name) => only?.includes(name) !== false),
    };
  };
  const watch: Engine["watch"] = (onChange, onGap) => {
    gap = (name) => onGap?.(name);
    return engine.watch(onChange);
  };
  return new Proxy<Engine>(engine, {
    get: (target, name) => {
      const own: Partial<Engine> = { worlds, identity, hosts, list, watch };
      const value: unknown = Reflect.get(name in own ? own : target, name);
      return typeof value === "function" && !(name in own) ? value.bind(target) : value;
    },
  });
}

/** Whether the engine's list reached the host: recorded after its state. */
const untilReached = (isReached: boolean) =>
  expect
    .poll(async () => (await readHost(stage.db, host)).unreachableSince === null, { timeout: 10_000 })
    .toBe(isReached);
const stateOf = async (name: string) => (await readHost(stage.db, name)).state;
const until = (name: string, state: string) => expect.poll(() => stateOf(name), { timeout: 10_000 }).toBe(state);
const health = async () => (await stage.row(launched.id)).health;

async function dies(): Promise<void> {
  await killHost(stage.db, host);
  gap(host);
  await until(host, "unreachable");
  await untilReached(false);
}

async function returns(): Promise<void> {
  await reviveHost(stage.db, host);
  gap(host);
  await until(host, "up");
  await untilReached(true);
}

describe("a host whose connection is lost", () => {
  it("is unreachable with its instances before the next full resync, and no other is asked", async () => {
    await dies();
    await expect.poll(health).toBe("unreachable");
    expect([await stateOf(other), asked]).toEqual(["up", [[host]]]);
    await returns();
    await expect.poll(health).toBe("ok");
    await reconciler.idle();
    expect(asked.flat().filter((name) => name !== host)).toEqual([]);
    expect(await stage.story(launched.id)).toEqual(["booting", "active", "unreachable", "reachable"]);
    expect(await auditEverything(stage.db)).toEqual({ lost: [], capacity: [], spans: [], events: [], orphans: [] });
  });

  it("was reached until then: its outage does not begin before the last one ended", async () => {
    await dies();
    const before = (await readHost(stage.db, host)).unreachableSince;
    await travel(stage.db, "10 minutes");
    await returns();
    const returned = Date.now();
    await dies();
    const { unreachableSince } = await readHost(stage.db, host);
    expect(before).not.toBeNull();
    expect(Math.abs((unreachableSince?.getTime() ?? 0) - returned)).toBeLessThan(10_000);
    await expect.poll(async () => (await stage.row(launched.id)).unreachable_since).toEqual(unreachableSince);
  });

  it("stays so when a full resync that began before ends", async () => {
    const [listed, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    beforeAll = () => {
      listed.resolve();
      return gate.promise;
    };
    const full = reconciler.sweepNow();
    await listed.promise;
    await dies();
    await expect.poll(health).toBe("unreachable");
    gate.resolve();
    await full;
    expect([await stateOf(host), await health()]).toEqual(["unreachable", "unreachable"]);
    expect((await readHost(stage.db, host)).unreachableSince).not.toBeNull();
  });

  it("of which nothing is known any more is left to the next full resync", async () => {
    gap("nowhere");
    await expect.poll(() => asked).toContainEqual(["nowhere"]);
    expect([await stateOf(host), await stateOf(other)]).toEqual(["up", "up"]);
  });
});

it("a lost host that returns is cleaned and cordoned without a full resync", async () => {
  await dies();
  await reconciler.sweepNow();
  const { accountId: by } = launched.principal;
  const declare = (confirmation?: string) =>
    stage.world.tx((tx) => declareLost(tx, host, { reason: "Lost", confirmation, by }));
  await declare((await declare()).confirmation);
  asked = [];
  await reviveHost(stage.db, host);
  gap(host);
  await expect.poll(() => stage.machines()).toHaveLength(1);
  gap(host);
  await until(host, "cordoned");
  expect(asked.flat().filter((name) => name !== host)).toEqual([]);
});
