// Decides for one beneficiary, under locks, which instances are evicted for it, and writes the difference to what is so: gives
// notice, withdraws it, asks guests to halt, and ends what is over. Used by evictor.ts with a plan, which may be outdated.
//
// Invariant: a notice, its events and the hosts that are kept are one transaction, and so are the end of an instance and the
// decision that it is still needed. Locked are the beneficiary, then instances, then hosts, as database/lock-order.ts says.
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
import type { BeneficiaryKind } from "./beneficiaries.ts";
import type { ChosenHost } from "./choose-evictions.ts";
import { isToHalt, isUnderNotice, type Notice, readFleet } from "./fleet.ts";
import { afterClaims, type CompareFor, choose, type Plan } from "./plan.ts";
import { withdraw } from "./withdraw.ts";

export interface EvictionParts {
  readonly kind: BeneficiaryKind;
  readonly settings: SpotSettings;
  readonly compareFor: CompareFor;
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
  parts: EvictionParts,
  plan: Plan,
  notices: readonly Notice[],
): Promise<Settled> {
  const { beneficiary, chosen = [] } = plan;
  const planned = idsOf(chosen);
  const isDecided = notices.some(({ isOver }) => isOver) || planned.some((id) => !notices.some((one) => one.id === id));
  const held = await parts.kind.confirm(tx, beneficiary.id, isDecided);
  if (held === "busy") return nothing;
  const rows = await lockInstances(tx, planned, beneficiary.id);
  const hosts = await lockHosts(tx, [...chosen.map(({ host }) => host.name), ...rows.map(({ host }) => host)], plan);
  const choice = held === "holds" ? await chooseNow(tx, parts, plan, hosts) : [];
  const wanted = idsOf(choice);
  // Something that is not locked is of use now: the next plan has it.
  if (!wanted.every((id) => rows.some((row) => row.id === id))) return nothing;
  const isWanted = ({ id }: Row) => wanted.includes(id);
  const withdrawn = rows.filter((row) => row.evicted_for === beneficiary.id && !isWanted(row));
  await withdraw(tx, withdrawn);
  const noticed = await give(tx, parts, beneficiary.id, rows.filter(isWanted));
  if (wanted.length > 0) await keep(tx, plan, choice, wanted);
  const ended = await follow(tx, wanted);
  return { noticed, withdrawn: withdrawn.length, ended, changesOthers: held === "over" || withdrawn.length > 0 };
}

function idsOf(chosen: readonly ChosenHost[]): string[] {
  return chosen.flatMap(({ evicted }) => evicted.map(({ id }) => id));
}

/** Live ones, of the plan and under notice for it, in order of id. */
async function lockInstances(tx: Transaction, planned: readonly string[], beneficiaryId: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from instances i
    where (i.id = any(${[...planned]}::uuid[]) or (i.evicted_for = ${beneficiaryId} and ${isUnderNotice}))
      and i.spot and i.state = any(${statesWhere(isLive)}::text[])
    order by i.id for update`.execute(tx);
  return rows;
}

/** With those that are kept for it, in order of name. */
async function lockHosts(tx: Transaction, names: readonly string[], { beneficiary }: Plan): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from hosts where name = any(${[...names]}::text[]) or earmarked_for = ${beneficiary.id}
    order by name for update`.execute(tx);
  return rows.map(({ name }) => name);
}

/** On these hosts; others may have become better, and nothing is lost by that. */
async function chooseNow(
  tx: Transaction,
  { kind, compareFor }: EvictionParts,
  { beneficiary, before }: Plan,
  names: readonly string[],
): Promise<readonly ChosenHost[]> {
  const hosts = (await readFleet(tx, names, kind)).map((host) => afterClaims(host, before));
  return choose(beneficiary, hosts, before, compareFor) ?? [];
}

/** Those that are under notice for another one that is over go on as they are. Returns how many are new. */
async function give(
  tx: Transaction,
  { settings }: EvictionParts,
  beneficiaryId: string,
  wanted: readonly Row[],
): Promise<number> {
  const fresh = wanted.filter((row) => row.evict_at === null);
  if (!wanted.some((row) => row.evicted_for !== beneficiaryId)) return 0;
  const { rows } = await sql<Row>`
    update instances set evicted_for = ${beneficiaryId},
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

/** Keeps the hosts for it, and no others: what is freed there is its own, also while GPUs are being reset. */
async function keep(
  tx: Transaction,
  { beneficiary: { id, position } }: Plan,
  choice: readonly ChosenHost[],
  evicted: readonly string[],
): Promise<void> {
  const names = choice.map(({ host }) => host.name);
  await sql`
    update hosts set earmarked_for = kept.id, earmark_position = kept.position, earmark_from = kept.since
    from (
      select h.name, case when h.name = any(${names}::text[]) then ${id}::uuid end as id,
        case when h.name = any(${names}::text[]) then ${position}::bigint end as position,
        case when h.name = any(${names}::text[]) then free.since end as since
      from hosts h, (select max(evict_at) as since from instances where id = any(${[...evicted]}::uuid[])) free
      where h.name = any(${names}::text[]) or h.earmarked_for = ${id}) kept
    where hosts.name = kept.name
      and (hosts.earmarked_for, hosts.earmark_from) is distinct from (kept.id, kept.since)`.execute(tx);
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
