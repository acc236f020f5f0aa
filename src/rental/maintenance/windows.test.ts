// What the database makes sure of for maintenance windows: the words of the tables in rules/, and that no two open windows
// of a host overlap. What windows do: test/reconciler/maintenance-windows.test.ts.

import { type KyselyPlugin, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { modesBeforeMaintenance } from "../../rules/host-lifecycle.ts";
import { maintenanceModes, windowLimits, windowPhases } from "../../rules/maintenance.ts";
import { tokenPrefix } from "../../secrets/token.ts";
import { describeHost } from "../hosts/describe.ts";
import { deleteOldWindows } from "./retention.ts";
import { changeWindow, removeWindow, scheduleWindows, type WindowOrder } from "./schedule.ts";
import { listWindows } from "./window-store.ts";

const world = worldOfFile();

const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);

async function order(more: Partial<WindowOrder> = {}): Promise<WindowOrder> {
  return {
    host: more.selector === undefined ? await world.host() : undefined,
    selector: undefined,
    beginsAt: at(1),
    endsAt: at(2),
    deferrableUntil: null,
    reason: "Disk",
    mode: "stop",
    ...more,
  };
}

async function schedule(more: Partial<WindowOrder> = {}) {
  const { accountId } = await world.account();
  const windows = await order(more);
  return world.tx((tx) => scheduleWindows(tx, windows, accountId));
}

describe("the database", () => {
  it.each([
    ["maintenance_windows_phase_check", windowPhases],
    ["maintenance_windows_mode_check", maintenanceModes],
    ["maintenance_windows_mode_before_check", modesBeforeMaintenance],
  ])("knows the words of %s", async (name, words) => {
    const { rows } = await sql<{ text: string }>`
      select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${name}`.execute(world.db);
    expect([...(rows[0]?.text ?? "").matchAll(/'(\w+)'/g)].map(([, word]) => word)).toEqual([...words]);
  });

  it("rejects an open window that overlaps another of its host, by any writer, and no other", async () => {
    const [first] = await schedule();
    const insert = (host: string | undefined, from: Date, to: Date) =>
      sql`
      insert into maintenance_windows (id, group_id, host, begins_at, ends_at, reason, mode, created_by)
      select ${uuidv7()}, group_id, ${host}, ${from}, ${to}, reason, mode, created_by
      from maintenance_windows where id = ${first?.id}`.execute(world.db);
    await expect(insert(first?.host, at(1.5), at(3))).rejects.toThrow("maintenance_windows_apart");
    await insert(`${first?.host}x`, at(1.5), at(3));
    await insert(first?.host, first?.endsAt ?? at(2), at(3));
    await world.tx((tx) => removeWindow(tx, first?.id ?? "", undefined));
    await insert(first?.host, at(1), at(1.5));
  });

  it("lets time pass for windows that meet", async () => {
    const end = at(2);
    const [first] = await schedule({ endsAt: end });
    await schedule({ host: first?.host, beginsAt: end, endsAt: at(3) });
    await travel(world.db, "1 hour");
    expect((await listWindows(world.db, { host: first?.host })).map(({ phase }) => phase)).toEqual([
      "scheduled",
      "scheduled",
    ]);
  });
});

describe("a selector", () => {
  it("makes one window of each host, all in one group, or none", async () => {
    const hosts = [await world.host(), await world.host()];
    for (const name of hosts) await world.tx((tx) => describeHost(tx, name, { labels: { rack: "r1" } }));
    const windows = await schedule({ selector: "rack=r1" });
    expect(windows.map(({ host }) => host)).toEqual(hosts.toSorted());
    expect(new Set(windows.map(({ groupId }) => groupId)).size).toBe(1);
    await schedule({ host: hosts[1], beginsAt: at(5), endsAt: at(6) });
    const overlapping = await order({ selector: "rack=r1", beginsAt: at(4), endsAt: at(6) });
    const { accountId } = await world.account();
    await changingNothing(world.db, async () => {
      await refusal(
        "conflict",
        world.tx((tx) => scheduleWindows(tx, overlapping, accountId)),
      );
    });
  });
});

it("takes as many statements for many hosts as for few, because it holds the locks of all", async () => {
  const { accountId } = await world.account();
  const hosts = await Promise.all(Array.from({ length: 6 }, () => world.host()));
  const label = (names: string[], labels: Record<string, string>) =>
    Promise.all(names.map((name) => world.tx((tx) => describeHost(tx, name, { labels }))));
  await label(hosts, { row: "many" });
  await label(hosts.slice(0, 2), { row: "many", half: "few" });
  const statementsFor = async (selector: string, beginsAt: Date, endsAt: Date) => {
    const asked = await order({ selector, beginsAt, endsAt });
    let count = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        count++;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    await world.tx((tx) => scheduleWindows(tx.withPlugin(counting), asked, accountId));
    return count;
  };
  const few = await statementsFor("half=few", at(1), at(2));
  expect(few).toBeGreaterThan(0);
  expect(await statementsFor("row=many", at(3), at(4))).toBe(few);
});

describe("an order", () => {
  it.each<[string, string, Partial<WindowOrder>]>([
    ["a begin in the past", "from", { beginsAt: at(-1) }],
    ["a begin that is too far ahead", "from", { beginsAt: at(9000), endsAt: at(9001) }],
    ["an end before the begin", "to", { endsAt: at(0.5) }],
    ["an end that is too late", "to", { endsAt: at(2 + windowLimits.longest / 3600) }],
    ["a limit before the begin", "deferrable_until", { deferrableUntil: at(0.5) }],
    ["a limit that is too far ahead", "deferrable_until", { deferrableUntil: at(9000) }],
    ["a reason of two lines", "reason", { reason: "a\nb" }],
    ["a reason with a token", "reason", { reason: `${tokenPrefix}secret` }],
    ["a host and a selector", "host", { host: "one", selector: "rack=r1" }],
    ["neither of both", "host", { host: undefined, selector: undefined }],
    ["a selector that finds nothing", "selector", { selector: "rack=none" }],
  ])("with %s is rejected", async (_what, field, more) => {
    expect(await refusal("invalid-parameters", schedule(more))).toMatchObject({ fields: { [field]: {} } });
  });

  it("of an unknown host is rejected", async () => {
    expect(await refusal("unknown-name", schedule({ host: "nowhere" }))).toMatchObject({ fields: { host: {} } });
  });
});

describe("a change", () => {
  it("keeps what it does not name, and is checked as an order is", async () => {
    const [window] = await schedule({ deferrableUntil: at(5) });
    const id = window?.id ?? "";
    const change = (more: Parameters<typeof changeWindow>[2]) => world.tx((tx) => changeWindow(tx, id, more));
    const { revision: _, ...rest } = await change({ reason: "Fans" });
    expect({ ...window, ...rest }).toEqual({ ...window, reason: "Fans" });
    expect(await change({ mode: "nothing", beginsAt: at(3), endsAt: at(4) })).toMatchObject({ revision: 3 });
    expect(await change({})).toMatchObject({ revision: 3 });
    await changingNothing(world.db, async () => {
      await refusal("invalid-parameters", change({ endsAt: at(2) }));
      await refusal("invalid-parameters", change({ beginsAt: at(6), endsAt: at(7) }));
      await refusal("invalid-parameters", change({ reason: " " }));
      await refusal(
        "unknown-object",
        world.tx((tx) => changeWindow(tx, "nothing", {})),
      );
    });
    expect(await change({ deferrableUntil: null, beginsAt: at(6), endsAt: at(7) })).toMatchObject({
      deferrableUntil: null,
    });
  });
});

it("keeps past windows as long as the audit log", async () => {
  const [past] = await schedule();
  const [open] = await schedule();
  await world.tx((tx) => removeWindow(tx, past?.id ?? "", undefined));
  await deleteOldWindows(world.db, 1);
  expect(await listWindows(world.db, { host: past?.host })).toHaveLength(1);
  await travel(world.db, "2 days");
  await deleteOldWindows(world.db, 1);
  expect(await listWindows(world.db, { host: past?.host })).toEqual([]);
  expect(await listWindows(world.db, { host: open?.host })).toHaveLength(1);
});
