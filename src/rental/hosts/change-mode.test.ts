// What operators decide about hosts: the mode, its reason, the events of it, and what the database makes of it.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { afterHostAction, type HostAction, hostActions, hostModes, hostStateOf } from "../../rules/host-lifecycle.ts";
import type { DrainMode } from "../../rules/moves.ts";
import { tokenPrefix } from "../../secrets/token.ts";
import { type Host, readHost } from "../capacity/host-reading.ts";
import { storedHost, upsertHost } from "../capacity/host-store.ts";
import { changeHostMode } from "./change-mode.ts";

let world: World;
let by: string;
beforeAll(async () => {
  world = await makeWorld();
  ({ accountId: by } = await world.account());
});
afterAll(() => world.close());

const decide = (name: string, action: HostAction, reason?: string): Promise<Host> =>
  world.tx((tx) => changeHostMode(tx, name, { action, reason, by }));

/** Its engine reports it as available or not. */
async function report(name: string, available: boolean): Promise<void> {
  const { reported: _, overrides, ...facts } = await storedHost(world.db, name);
  await world.tx((tx) => upsertHost(tx, { ...facts, available }, overrides));
}

/** The states that the events of the host tell of, oldest first: `before>after reason`. */
async function told(name: string): Promise<string[]> {
  const { rows } = await sql<{ account_id: string | null; data: Record<string, string | null> }>`
    select account_id, data from events where type = 'host.state_changed' and data->>'name' = ${name} order by position`.execute(
    world.db,
  );
  expect(rows.every(({ account_id }) => account_id === null)).toBe(true);
  return rows.map(({ data }) => `${data.state_before}>${data.state} ${data.reason ?? ""}`.trimEnd());
}

// Object.keys returns strings; these are the keys of the table.
const actions = Object.keys(hostActions) as HostAction[];

describe("an operator's decision", () => {
  it.each(hostModes.flatMap((mode) => actions.map((action) => [mode, action] as const)))(
    "about a host that is %s, %s, leads where the table says",
    async (mode, action) => {
      const name = await world.host();
      await sql`update hosts set mode = ${mode} where name = ${name}`.execute(world.db);
      const after = afterHostAction(mode, action);
      if (after === undefined) await refusal("conflict", decide(name, action));
      else expect(await decide(name, action)).toMatchObject({ mode: after, state: hostStateOf(after, true) });
    },
  );

  it("has a reason, its operator and a time, and is told of in an event", async () => {
    const name = await world.host();
    // More than the millisecond that a Date tells apart.
    await sql`update hosts set state_since = state_since - interval '1 minute' where name = ${name}`.execute(world.db);
    const before = await readHost(world.db, name);
    expect(before).toMatchObject({ state: "up", modeReason: null, modeBy: null, instances: 0 });
    const cordoned = await decide(name, "cordon", "PSU 2 is exchanged");
    expect(cordoned).toMatchObject({ state: "cordoned", modeReason: "PSU 2 is exchanged", modeBy: expect.any(String) });
    expect(cordoned.stateSince.getTime()).toBeGreaterThan(before.stateSince.getTime());
    await decide(name, "drain");
    await decide(name, "uncordon");
    expect(await told(name)).toEqual(["up>cordoned PSU 2 is exchanged", "cordoned>draining", "draining>up"]);
    const { rows } = await sql<{ by: string | null; note: string }>`
      select data ->> 'mode_set_by' as by, data ->> 'note' as note from events
      where type = 'host.state_changed' and data ->> 'name' = ${name} order by position limit 1`.execute(world.db);
    expect(rows).toEqual([{ by: cordoned.modeBy, note: "" }]);
  });

  it("that is repeated changes nothing; with a reason, only that", async () => {
    const name = await world.host();
    const first = await decide(name, "cordon", "first");
    expect(await decide(name, "cordon")).toEqual(first);
    expect(await decide(name, "cordon", "second")).toEqual({ ...first, modeReason: "second" });
    expect(await told(name)).toEqual(["up>cordoned first"]);
  });

  it("to drain says how, and keeps that until it is decided otherwise", async () => {
    const name = await world.host();
    const drain = (drainMode?: DrainMode) =>
      world.tx((tx) => changeHostMode(tx, name, { action: "drain", reason: undefined, drainMode, by }));
    expect((await drain()).drainMode).toBe("wait");
    expect((await drain("move")).drainMode).toBe("move");
    expect((await drain()).drainMode).toBe("move");
    expect((await decide(name, "cordon")).drainMode).toBeNull();
    expect((await drain()).drainMode).toBe("wait");
    expect(await told(name)).toEqual(["up>draining", "draining>cordoned", "cordoned>draining"]);
  });

  it("about no host, or for a reason that is none, changes nothing", async () => {
    const name = await world.host();
    await refusal("unknown-object", decide("nowhere", "cordon"));
    for (const reason of [" ", "two\nlines", "x".repeat(301), `${tokenPrefix}secret`])
      await changingNothing(world.db, async () => {
        await refusal("invalid-parameters", decide(name, "cordon", reason));
      });
  });

  it("of two operators at once is made one after the other", async () => {
    const name = await world.host();
    await using first = await begin(world.db);
    await changeHostMode(first.tx, name, { action: "drain", reason: "first", by });
    const second = decide(name, "cordon", "second");
    await untilWaiting(world.db);
    await first.commit();
    expect(await second).toMatchObject({ mode: "cordoned", modeReason: "second" });
    expect(await told(name)).toEqual(["up>draining first", "draining>cordoned second"]);
  });
});

describe("a host that its engine no longer reports", () => {
  it("is unreachable, and returns to what was decided, also meanwhile", async () => {
    const name = await world.host();
    await decide(name, "cordon", "fans");
    await report(name, false);
    expect(await readHost(world.db, name)).toMatchObject({ state: "unreachable", mode: "cordoned", available: false });
    expect(await decide(name, "drain", "all fans")).toMatchObject({ state: "unreachable", mode: "draining" });
    await report(name, true);
    expect(await readHost(world.db, name)).toMatchObject({ state: "draining", modeReason: "all fans" });
    expect(await told(name)).toEqual([
      "up>cordoned fans",
      "cordoned>unreachable fans",
      "unreachable>draining all fans",
    ]);
  });

  it("is told of once, however often it is reported", async () => {
    const name = await world.host();
    for (const available of [true, false, false, true, true]) await report(name, available);
    expect(await told(name)).toEqual(["up>unreachable", "unreachable>up"]);
  });
});

describe("the database", () => {
  it("knows the modes of the table, and makes the states of it", async () => {
    const { rows } = await sql<{ mode: string; available: boolean; state: string }>`
      select mode, available, host_state(mode, available) as state
      from unnest(${[...hostModes]}::text[]) as mode, unnest(array[true, false]) as available`.execute(world.db);
    for (const row of rows) {
      const mode = hostModes.find((one) => one === row.mode);
      expect(mode === undefined ? undefined : hostStateOf(mode, row.available)).toBe(row.state);
    }
    const [check] = (
      await sql<{ text: string }>`
        select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'hosts_mode_check'`.execute(
        world.db,
      )
    ).rows;
    expect([...(check?.text ?? "").matchAll(/'(\w+)'/g)].map(([, word]) => word)).toEqual([...hostModes]);
  });
});
