// Hosts that their operator has evacuated at the engine: their instances are unreachable, which is no outage.

import { beforeEach, expect, it } from "vitest";
import type { Engine } from "../../src/engines/engine.ts";
import { haltFromInside, killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { declareLost } from "../../src/rental/hosts/declare-lost.ts";
import { refusal } from "../support/refusals.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();

let evacuated: string[];
let host: string;
let reconciler: Reconciler;
let one: Launched;
beforeEach(async () => {
  evacuated = [];
  host = await stage.host();
  reconciler = stage.reconciler(
    { downtime: { policy: "pause", toleranceSeconds: 60 } },
    withEvacuation(stage.engine()),
  );
  one = await stage.launchOne();
  await reconciler.idle();
  await reconciler.sweepNow();
});

/** The engine, with the hosts that count as evacuated while they respond. */
function withEvacuation(engine: Engine): Engine {
  const list = async (signal: AbortSignal) => {
    const listing = await engine.list(signal);
    return { ...listing, evacuatedHosts: evacuated.filter((name) => !listing.unreachableHosts.includes(name)) };
  };
  return new Proxy(engine, {
    // The engine's own methods need it as `this`.
    get: (target, key) => {
      if (key === "list") return list;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function evacuate(): Promise<void> {
  evacuated = [host];
  await haltFromInside(stage.db, one.id);
  await reconciler.sweepNow();
}

const shown = async () => {
  const { state, health, is_down, unreachable_since } = await stage.row(one.id);
  return { state, health, isDown: is_down, since: unreachable_since };
};

it("makes its instances unreachable, which is billed, and cannot be declared lost", async () => {
  await evacuate();
  await travel(stage.db, "1 hour");
  await reconciler.sweepNow();
  expect(await shown()).toEqual({ state: "active", health: "unreachable", isDown: false, since: null });
  expect((await readHost(stage.db, host)).unreachableSince).toBeNull();
  const { accountId: by } = await stage.world.account();
  const declaration = { reason: "Gone", confirmation: undefined, by };
  await refusal(
    "conflict",
    stage.world.tx((tx) => declareLost(tx, host, declaration)),
  );
});

it("is an outage from the time that it does not respond either, until it does", async () => {
  await evacuate();
  await travel(stage.db, "1 hour");
  await reconciler.sweepNow();
  await killHost(stage.db, host);
  await reconciler.sweepNow();
  await travel(stage.db, "10 minutes");
  await reconciler.sweepNow();
  const down = await shown();
  expect(down).toMatchObject({ health: "unreachable", isDown: true });
  expect(Date.now() - (down.since?.getTime() ?? 0)).toBeLessThan(1200_000);
  await reviveHost(stage.db, host);
  await reconciler.sweepNow();
  expect(await shown()).toEqual({ state: "active", health: "unreachable", isDown: false, since: null });
  const span = await stage.span(one.id);
  expect(span?.downtime).not.toContain(",)");
});

it("is as before when it is restored", async () => {
  await evacuate();
  evacuated = [];
  await stage.engine().start(stage.spec(await stage.row(one.id)), AbortSignal.timeout(5000));
  await reconciler.sweepNow();
  expect(await shown()).toEqual({ state: "active", health: "ok", isDown: false, since: null });
});
