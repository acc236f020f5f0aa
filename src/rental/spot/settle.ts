// Decides for one case, a launch that waits (for-launches.ts) or a reservation (for-reservations.ts), under locks, which
// instances are evicted for it, and writes the difference to what is so: gives notice, withdraws it, asks guests to halt, and
// ends what is over. Used by evictor.ts with a plan, which may be outdated.
//
// Invariant: a notice, its events and the hosts that are kept are one transaction, and so are the end of an instance and the
// decision that it is still needed. Locked are the launch, then instances, then hosts, as database/lock-order.ts says.
// It can be repeated and interrupted anywhere: what is so decides what is left to do.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { isLive, statesWhere } from "../../rules/lifecycle.ts";
import type { SpotSettings } from "../../rules/spot.ts";
import { recordEvents } from "../events/record.ts";
import { applyAction } from "../instances/apply-action.ts";
import { fromRow } from "../instances/instance.ts";
import { instanceEvent } from "../instances/instance-event.ts";
import { wakeReconciler } from "../instances/wake.ts";
import type { Confirmed } from "./beneficiaries.ts";
import type { ChosenHost } from "./choose-evictions.ts";
import { isToHalt, type Notice } from "./fleet.ts";
import { isUnderNotice } from "./spot-sql.ts";
import { withdraw } from "./withdraw.ts";

/** What instances are evicted for. */
export interface EvictionCase {
  readonly id: string;
  /** The instances that would be evicted, and the hosts to choose of. */
  readonly planned: readonly string[];
  readonly hosts: readonly string[];
  /** Before anything is locked. `mustPass`: also whether anything but capacity would reject it. */
  confirm(tx: Transaction, mustPass: boolean): Promise<Confirmed>;
  /** Of these hosts, which are locked. Undefined: other hosts have to be locked, and the next run does that. */
  choose(tx: Transaction, hosts: readonly string[]): Promise<readonly ChosenHost[] | undefined>;
  /** That what is freed is its own. */
  keep(tx: Transaction, choice: readonly ChosenHost[]): Promise<void>;
}

/** How many instances. */
export interface Settled {
  readonly noticed: number;
  readonly withdrawn: number;
  readonly ended: number;
  /** Whether the plans for others may be different now. */
  readonly changesOthers: boolean;
}

const nothing: Settled = { noticed: 0, withdrawn: 0, ended: 0, changesOthers: false };

type Row = Selectable<InstancesTable>;

/** `notices`: those for it, as they were when it was planned. Throws what the database throws, and CannotOpen. */
export async function settle(
  tx: Transaction,
  settings: SpotSettings,
  one: EvictionCase,
  notices: readonly Notice[],
): Promise<Settled> {
  const isDecided =
    notices.some(({ isOver }) => isOver) || one.planned.some((id) => !notices.some((notice) => notice.id === id));
  const held = await one.confirm(tx, isDecided);
  if (held === "busy") return nothing;
  const rows = await lockInstances(tx, one.planned, one.id);
  const hosts = await lockHosts(tx, [...one.hosts, ...rows.map(({ host }) => host)], one.id);
  const choice = held === "holds" ? await one.choose(tx, hosts) : [];
  if (choice === undefined) return nothing;
  const wanted = idsOf(choice);
  // Something that is not locked is of use now: the next plan has it.
  if (!wanted.every((id) => rows.some((row) => row.id === id))) return nothing;
  const isWanted = ({ id }: Row) => wanted.includes(id);
  const withdrawn = rows.filter((row) => row.evicted_for === one.id && !isWanted(row));
  await withdraw(tx, withdrawn);
  const noticed = await give(tx, settings, one.id, rows.filter(isWanted));
  if (wanted.length > 0) await one.keep(tx, choice);
  const ended = await follow(tx, wanted);
  return { noticed, withdrawn: withdrawn.length, ended, changesOthers: held === "over" || withdrawn.length > 0 };
}

/** What is evicted on them. */
export function idsOf(chosen: readonly ChosenHost[]): string[] {
  return chosen.flatMap(({ evicted }) => evicted.map(({ id }) => id));
}

/** Live ones, of the plan and under notice for it, in order of id. */
async function lockInstances(tx: Transaction, planned: readonly string[], forId: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from instances i
    where (i.id = any(${[...planned]}::uuid[]) or (i.evicted_for = ${forId} and ${isUnderNotice}))
      and i.spot and i.state = any(${statesWhere(isLive)}::text[])
    order by i.id for update`.execute(tx);
  return rows;
}

/** With those that are kept for it, in order of name. */
async function lockHosts(tx: Transaction, names: readonly string[], id: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from hosts where name = any(${[...names]}::text[]) or earmarked_for = ${id}
    order by name for update`.execute(tx);
  return rows.map(({ name }) => name);
}

/** Those that are under notice for another one that is over go on as they are. Returns how many are new. */
async function give(tx: Transaction, settings: SpotSettings, forId: string, wanted: readonly Row[]): Promise<number> {
  const fresh = wanted.filter((row) => row.evict_at === null);
  if (!wanted.some((row) => row.evicted_for !== forId)) return 0;
  const { rows } = await sql<Row>`
    update instances set evicted_for = ${forId},
      evict_at = coalesce(evict_at, now() + make_interval(secs => ${settings.noticeSeconds}))
    where id = any(${wanted.map(({ id }) => id)}::uuid[]) returning *`.execute(tx);
  const isFresh = ({ id }: Row) => fresh.some((row) => row.id === id);
  await recordEvents(
    tx,
    rows.filter(isFresh).map((row) => instanceEvent(row, "preemption_notice")),
  );
  await wakeReconciler(tx, "evictions");
  return fresh.length;
}

/** Asks guests to halt whose time has come, and ends what is over. Returns how many were ended. */
async function follow(tx: Transaction, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { rows } = await sql<Row & { over: boolean; halts: boolean }>`
    select i.*, i.evict_at <= now() as over, ${isToHalt} as halts from instances i
    where i.id = any(${[...ids]}::uuid[]) order by i.id`.execute(tx);
  const over = rows.filter((row) => row.over);
  await applyAction(tx, over.map(fromRow), "terminate", "preempted");
  const halting = rows.filter(({ over: isOver, halts }) => !isOver && halts);
  if (halting.length > 0) {
    await applyAction(tx, halting.map(fromRow), "stop", "preempted");
    await sql`update instances set evict_stopped = true where id = any(${halting.map(({ id }) => id)}::uuid[])`.execute(
      tx,
    );
  }
  return over.length;
}
