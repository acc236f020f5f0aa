// The order in which real transactions lock rows (database/lock-order.ts), by the statements that they send.

import { sql } from "kysely";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { lockOrder, underHostLock, underInstanceLock, underReservationLock } from "../../src/database/lock-order.ts";
import { injectFaults } from "../../src/engines/simulated/database.ts";
import { changeRuleset, createRuleset, deleteRuleset } from "../../src/rental/firewall/ruleset-store.ts";
import { changeHostMode } from "../../src/rental/hosts/change-mode.ts";
import { runWindows } from "../../src/rental/maintenance/run.ts";
import { removeWindow, scheduleWindows } from "../../src/rental/maintenance/schedule.ts";
import { beginMove } from "../../src/rental/moving/begin-move.ts";
import { cancelReservation } from "../../src/rental/reservations/begin-end.ts";
import type { Principal } from "../../src/rental/service.ts";
import { cancelWait } from "../../src/rental/waiting/waiting-store.ts";
import { reserve, run as runReserved } from "../support/reservations.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { Waiting } from "../support/waiting.ts";

const stage = stageOfFile();
const ranks: ReadonlyMap<string, number> = new Map(lockOrder.map((table, rank) => [table, rank]));
const known: readonly string[] = [...lockOrder, ...underHostLock, ...underInstanceLock, ...underReservationLock];

/** The tables whose rows a statement locks, in the order of its text: by `for update`, and by what it changes. */
function lockedBy(statement: string): string[] {
  const locks = [
    ...statement.matchAll(/\bfor (?:no key )?update\b|\bupdate (\w+)|\bupdate "(\w+)"|\bdelete from "?(\w+)"?/gi),
  ];
  return locks.flatMap(([text, plain, quoted, deleted], index) => {
    const table = /^for/i.test(text)
      ? selectedBefore(statement, locks[index]?.index ?? 0)
      : (plain ?? quoted ?? deleted);
    return table !== undefined && known.includes(table) ? [table] : [];
  });
}

/** The table of the select that ends here: what stands in brackets of its own is not its. */
function selectedBefore(statement: string, end: number): string | undefined {
  let text = statement.slice(0, end);
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, " ");
  }
  return /\bfrom\s+"?(\w+)"?/i.exec(text.slice(text.lastIndexOf("(") + 1))?.[1];
}

/** The statements of each transaction that is begun and ended while `act` runs. */
async function transactionsOf(act: () => Promise<unknown>): Promise<string[][]> {
  const open = new Map<unknown, string[]>();
  const ended: string[][] = [];
  const spy = vi.spyOn(pg.Client.prototype, "query");
  try {
    await act();
    for (const [index, [query]] of (spy.mock.calls as readonly (readonly unknown[])[]).entries()) {
      const client = spy.mock.contexts[index];
      const text = typeof query === "string" ? query : String((query as { readonly text?: string }).text);
      if (/^(begin|start transaction)\b/i.test(text)) open.set(client, []);
      else if (/^(commit|rollback)\b/i.test(text)) {
        ended.push(open.get(client) ?? []);
        open.delete(client);
      } else open.get(client)?.push(text);
    }
  } finally {
    spy.mockRestore();
  }
  return ended;
}

/** The tables that a transaction locks rows of, each where it does first. */
function firstLocks(statements: readonly string[]): string[] {
  return [...new Set(statements.flatMap(lockedBy))];
}

/** Maintenance of the host, from the order to the end. */
async function maintain(host: string, by: string): Promise<void> {
  const beginsAt = new Date();
  const endsAt = new Date(Date.now() + 3_600_000);
  const order = { host, selector: undefined, beginsAt, endsAt, deferrableUntil: null, reason: "Disk" };
  const [window] = await stage.world.tx((tx) => scheduleWindows(tx, { ...order, mode: "stop" }, by));
  await runWindows(stage.db, { isBilled: false });
  await stage.world.tx((tx) => removeWindow(tx, window?.id ?? "", undefined));
  await runWindows(stage.db, { isBilled: false });
}

/** A reservation that is used, one that is cancelled, and what their hosts do meanwhile. */
async function reserveAndUse(principal: Principal): Promise<void> {
  const { name: instanceType } = await stage.product();
  const { id } = await reserve(stage.world, principal, { instanceType, to: 5 });
  const { id: later } = await reserve(stage.world, principal, { instanceType, from: 10, to: 20 });
  await stage.world.tx((tx) => cancelReservation(tx, principal, later));
  const used = await stage.launchOne({ principal, reservationId: id });
  await runReserved(stage.world);
  const cordon = { reason: undefined, by: null };
  await stage.world.tx((tx) => changeHostMode(tx, used.host, { action: "cordon", ...cordon }));
  await runReserved(stage.world);
  await stage.world.tx((tx) => changeHostMode(tx, used.host, { action: "uncordon", ...cordon }));
  await stage.world.change(principal, "terminate", [used.id]);
  await sql`update reservations set ends_at = now() where id = ${id}`.execute(stage.db);
  await runReserved(stage.world);
}

it.each([
  ["select from hosts where name in (select host from instances where id = $1) order by name for update", ["hosts"]],
  ["update instances set state = $1 where id in (select id from instances for update)", ["instances", "instances"]],
  ["select * from instances where id = $1 for no key update", ["instances"]],
  ['delete from "accounts" where id = $1', ["accounts"]],
  ["select id from instances where next_look_at <= now() for update skip locked", ["instances"]],
  ["select 1 from hosts", []],
])("%s locks rows of %j", (statement, tables) => {
  expect(lockedBy(statement)).toEqual(tables);
});

describe("transactions lock rows in the order that is stated", () => {
  it("from a launch to the removal, with rules that change, a move and maintenance meanwhile", async () => {
    const host = await stage.host({ gpus: 2, region: "north" });
    await stage.host({ gpus: 2, region: "north" });
    const region = "north";
    const seen = new Set<string>();
    const transactions = await transactionsOf(async () => {
      const principal = await stage.world.account();
      const { name } = await stage.world.fileSystem(principal, { region });
      const { id } = await stage.launchOne({ principal, fileSystemNames: [name] });
      const reconciler = stage.reconciler();
      await reconciler.idle();
      await reserveAndUse(principal);
      await reconciler.idle();
      const { id: ruleset } = await stage.world.tx((tx) =>
        createRuleset(tx, principal, { name: "r", region, rules: [] }),
      );
      await stage.world.tx((tx) => changeRuleset(tx, stage.world.service, principal, ruleset, { rules: [] }));
      await stage.world.change(principal, "stop", [id]);
      await reconciler.idle();
      await stage.world.service.capacity.refresh();
      const order = { host: undefined, reason: undefined, by: null };
      await stage.world.tx((tx) => beginMove(tx, stage.world.service, id, order));
      await reconciler.idle();
      await stage.world.change(principal, "restart", [id]);
      await reconciler.idle();
      await maintain(host, principal.accountId);
      await reconciler.idle();
      await stage.world.change(principal, "terminate", [id]);
      await reconciler.idle();
      await stage.world.tx((tx) => deleteRuleset(tx, principal, ruleset));
      await injectFaults(stage.db, { kind: "reports-finding" });
      await reconciler.sweepNow();
    });
    for (const statements of transactions) {
      const locks = firstLocks(statements);
      for (const table of locks) seen.add(table);
      const ordered = locks.filter((table) => ranks.has(table));
      const inOrder = ordered.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
      expect(ordered, statements.join("\n")).toEqual(inOrder);
      for (const table of underInstanceLock)
        if (locks.includes(table)) expect(locks.indexOf(table)).toBeGreaterThan(locks.indexOf("instances"));
      for (const table of underReservationLock)
        if (locks.includes(table)) expect(locks.indexOf(table)).toBeGreaterThan(locks.indexOf("reservations"));
      for (const table of underHostLock) {
        if (locks.includes(table)) expect(locks.indexOf("hosts"), table).toBeGreaterThanOrEqual(0);
        if (locks.includes(table)) expect(locks.indexOf(table)).toBeGreaterThan(locks.indexOf("hosts"));
      }
    }
    expect([...seen].sort()).toEqual(known.toSorted());
  });

  it("when a spot instance is evicted for a launch that waits, and when its notice is withdrawn", async () => {
    await stage.host({ gpus: 1 });
    await stage.world.image();
    await stage.world.product({ name: "one", gpus: 1, spotPriceCentsPerHour: 30 });
    const waiting = new Waiting(stage.world);
    const [ann, bob] = [await waiting.customer(), await waiting.customer()];
    const spot = await stage.world.launchOne(bob, { instanceType: "one", spot: true });
    const settle = async () => {
      await waiting.place();
      await waiting.evict();
    };
    const transactions = await transactionsOf(async () => {
      const first = await waiting.waits(ann, { instanceType: "one" });
      await settle();
      await stage.world.tx((tx) => cancelWait(tx, ann, first.id));
      await settle();
      await waiting.waits(ann, { instanceType: "one" });
      await settle();
      await travel(stage.db, "121 seconds");
      await settle();
      await waiting.removed(spot.id);
      await settle();
    });
    expect(await stage.row(spot.id)).toMatchObject({ state: "terminated", ended_by: "preempted" });
    const locks = transactions.map((statements) => firstLocks(statements).filter((table) => ranks.has(table)));
    for (const ordered of locks)
      expect(ordered).toEqual(ordered.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0)));
    expect(locks).toContainEqual(["instances", "hosts"]);
  });
});
