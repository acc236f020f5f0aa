// Records an engine's observation of an instance: state, event, billing and capacity in one transaction (lifecycle.ts
// says which). Called by the reconciler, and for lost hosts by hosts/declare-lost.ts; customers' actions are in
// change.ts.
//
// Invariant: an observation is recorded once or not at all. Three fences are in the one UPDATE: the generation (a newer
// action invalidates earlier observations), the lease (a worker that lost it can change nothing), and the state (an
// observation that does not apply changes nothing). A caller that gets `false` must observe again.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask, type Question, question, together } from "../../database/round-trips.ts";
import {
  asState,
  type BillEffect,
  bill,
  type Ending,
  finalState,
  holdsCapacity,
  type Observation,
  observations,
  statesEnteredBy,
} from "../../rules/lifecycle.ts";
import { closeSpans, closeSpansInThePast, openSpans } from "../billing/spans.ts";
import { releaseCapacity } from "../capacity/release.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { hasWork } from "../moving/move-sql.ts";
import { noteArrivals } from "../moving/record-move.ts";
import { entryColumns } from "./entry-columns.ts";
import { instanceEvent, type Told, told } from "./instance-event.ts";
import { lockedInOrder } from "./lock-in-order.ts";

/** Instance, generation and lease of the write. Without an owner the lease is not checked. */
export interface Fence {
  readonly id: string;
  readonly generation: number;
  readonly leaseOwner?: string;
}

/** A stable code, and a sentence for the customer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

type Nothing = Readonly<Record<string, never>>;

export interface ObservationDetails {
  /** `hasMoved`: for the first time on the host that it was moved to. */
  ready: { readonly ip: string; readonly hasMoved?: boolean };
  down: Nothing;
  halted: Nothing;
  launchFailed: { readonly failure: Failure };
  startFailed: { readonly failure: Failure };
  vanished: { readonly failure: Failure };
  removed: Nothing;
  /** `servedUntil`: when its host was last known to serve it. Without a failure: it was ending anyway. */
  hostLost: { readonly servedUntil: Date; readonly failure?: Failure };
}

/**
 * Whether the desired state is then reached. If not, the instance is due at once: to start, to be removed, or to make
 * sure it halts.
 */
const settles = {
  ready: true,
  down: false,
  halted: true,
  launchFailed: false,
  startFailed: false,
  vanished: false,
  removed: true,
  hostLost: true,
} as const satisfies Record<Observation, boolean>;

/** What an engine reports. */
export type EngineObservation = Exclude<Observation, "hostLost">;

export type ObservationReport = {
  [F in Observation]: { readonly fence: Fence; readonly fact: F; readonly details: ObservationDetails[F] };
}[Observation];

/**
 * Records the observation and releases the lease. False, with nothing changed, if a newer action came, the lease was
 * lost, or the observation does not apply to the state.
 */
export async function recordObservation<F extends Observation>(
  tx: Transaction,
  fence: Fence,
  fact: F,
  details: ObservationDetails[F],
): Promise<boolean> {
  // One of the union, by the types of the parameters.
  const [recorded] = await recordObservations(tx, [{ fence, fact, details } as ObservationReport]);
  return recorded === true;
}

/**
 * As recordObservation, of several different instances, in order. One statement for all, because a statement costs
 * several times as much as one more row.
 */
export async function recordObservations(tx: Transaction, reports: readonly ObservationReport[]): Promise<boolean[]> {
  const rows = new Map((await enteredStates(tx, reports)).map((row) => [row.id, row]));
  const recorded = reports
    .toSorted((a, b) => (a.fence.id < b.fence.id ? -1 : 1))
    .flatMap((report) => {
      const row = rows.get(report.fence.id);
      return row === undefined ? [] : [{ report, row }];
    });
  const idsOf = (holds: (fact: Observation) => boolean) =>
    recorded.filter(({ report }) => holds(report.fact)).map(({ row }) => row.id);
  await openSpans(
    tx,
    idsOf((fact) => billOf(fact) === opens),
  );
  await closeSpans(
    tx,
    idsOf((fact) => billOf(fact) === "closes"),
  );
  const arrived = recorded.flatMap(({ report, row }) => (hasMoved(report) ? [row.id] : []));
  if (arrived.length > 0) await noteArrivals(tx, arrived);
  const inThePast = recorded.flatMap(({ report: { details }, row }) =>
    "servedUntil" in details ? [{ instanceId: row.id, until: details.servedUntil }] : [],
  );
  await closeSpansInThePast(tx, inThePast);
  await recordEvents(
    tx,
    recorded.flatMap(({ report, row }) => eventsOf(report, row)),
  );
  // Last, because it locks accounts' rows, which every launch of the account needs.
  await releaseCapacity(
    tx,
    recorded.filter(({ row }) => !holdsCapacity[asState(row.state)]).map(({ row }) => row.id),
    idsOf((fact) => fact === "removed"),
  );
  const done = new Set(recorded.map(({ report }) => report));
  return reports.map((report) => done.has(report));
}

/** None for a machine that halted during a reboot: its booting event was recorded with the action. */
function eventsOf({ fact, details }: ObservationReport, row: Told): NewEvent[] {
  if (fact === "down") return [];
  const entered = instanceEvent(row, asState(row.state));
  if (!("failure" in details)) return [entered];
  return [instanceEvent(row, fact === "hostLost" ? "host_lost" : "failed"), entered];
}

function hasMoved({ details }: ObservationReport): boolean {
  return "hasMoved" in details && details.hasMoved === true;
}

function billOf(fact: Observation): BillEffect | undefined {
  const effects: Partial<Record<Observation, BillEffect>> = bill;
  return effects[fact];
}

const opens = "opens if never opened" satisfies BillEffect;

/** The rows that entered a state. Several are locked first, in order of id. */
async function enteredStates(tx: Transaction, reports: readonly ObservationReport[]): Promise<Told[]> {
  if (reports.length <= 1) return ask(tx, entered(reports));
  const [, rows] = await together(tx, [lockedInOrder(reports.map(({ fence }) => fence.id)), entered(reports)] as const);
  return rows;
}

/**
 * The transition table's rows are part of the statement, so state and fences are checked in one place.
 *
 * While a lease runs, `next_look_at = lease_until` means that no other check was requested since (lease-store.ts);
 * otherwise the instance stays due although it is settled. So does one whose move has work left.
 *
 * A lifetime counts from the start of billing: `billing_now()` is what openSpans writes in this transaction. If it
 * started earlier, `expires_at` is set already, or there is no lifetime. With a reservation it is set from the launch on.
 */
function entered(reports: readonly ObservationReport[]): Question<Told[]> {
  const failureOf = ({ details }: ObservationReport) => ("failure" in details ? details.failure : undefined);
  const endingOf = ({ fact }: ObservationReport): Ending => (fact === "hostLost" ? "host-lost" : "failure");
  const target = sql`(r.leads ->> i.state)`;
  const query = sql<Told>`
    update instances i set
      state = ${target},
      progress = null,
      halt_first = false,
      ip = coalesce(r.address, i.ip),
      failure_code = coalesce(r.code, failure_code),
      failure_message = coalesce(r.message, failure_message),
      expires_at = case when r.opens then case when i.reservation_id is null
          then coalesce(expires_at, billing_now() + make_interval(secs => max_lifetime_seconds))
          else least(expires_at, billing_now() + make_interval(secs => max_lifetime_seconds)) end
        else expires_at end,
      ${entryColumns(statesEnteredBy(observations), target, sql`r.ending`)},
      fulfilled_generation = case when r.settles then i.generation else fulfilled_generation end,
      attempts = 0,
      next_look_at = case
        when ${target} = ${sql.lit(finalState)} then null
        when r.rests and (lease_until is null or next_look_at = lease_until)
          and not exists (select from moves m where m.instance_id = i.id and ${hasWork}) then null
        else now() end,
      lease_owner = null,
      lease_until = null
    from unnest(
        ${reports.map(({ fence }) => fence.id)}::uuid[],
        ${reports.map(({ fence }) => fence.generation)}::bigint[],
        ${reports.map(({ fence }) => fence.leaseOwner ?? null)}::uuid[],
        ${reports.map(({ fact }) => JSON.stringify(observations[fact]))}::jsonb[],
        ${reports.map(({ details }) => ("ip" in details ? details.ip : null))}::text[],
        ${reports.map((report) => failureOf(report)?.code ?? null)}::text[],
        ${reports.map((report) => failureOf(report)?.message ?? null)}::text[],
        ${reports.map(({ fact }) => billOf(fact) === opens)}::boolean[],
        ${reports.map(({ fact }) => settles[fact])}::boolean[],
        ${reports.map((report) => settles[report.fact] && !hasMoved(report))}::boolean[],
        ${reports.map(endingOf)}::text[]
      ) as r (id, generation, owner, leads, address, code, message, opens, settles, rests, ending)
    where i.id = r.id and i.generation = r.generation and r.leads ->> i.state is not null
      and (r.owner is null or i.lease_owner = r.owner)
    returning ${told("i")}`;
  return question(query, (rows) => rows);
}
