// Records what an engine reported of an instance: state, event, money and capacity in one transaction (lifecycle.ts says
// which). The reconciler is the only caller; customers' wishes are change.ts.
//
// Invariant: a fact is recorded once, or not at all. Three fences stand in the one UPDATE: the generation (a newer wish
// makes what was seen for the older one worthless), the lease (a worker that lost it can change nothing), and the state
// itself (a fact that does not apply changes nothing). Whoever gets `false` has to look again.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask, type Question, question, together } from "../../database/round-trips.ts";
import {
  asState,
  bill,
  type Ending,
  finalState,
  type Observation,
  observations,
  statesEnteredBy,
} from "../../rules/lifecycle.ts";
import { closeSpans, openSpans } from "../billing/ledger.ts";
import { releaseCapacity } from "../capacity/release.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { entryColumns } from "./entry-columns.ts";
import { instanceEvent, type Told, told } from "./instance-event.ts";
import { lockedInOrder } from "./lock-in-order.ts";

/** Which instance, at which wish, and the lease that allows to write. Without an owner the lease is not looked at. */
export interface Fence {
  readonly id: string;
  readonly generation: number;
  readonly leaseOwner?: string;
}

/** Why it went wrong: a stable code, and a sentence for the customer. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

type Nothing = Readonly<Record<string, never>>;

/** What is to be told besides the fact. */
export interface ObservationDetails {
  ready: { readonly ip: string };
  down: Nothing;
  halted: Nothing;
  launchFailed: { readonly failure: Failure };
  startFailed: { readonly failure: Failure };
  vanished: { readonly failure: Failure };
  removed: Nothing;
}

/** Whether reality is then as wished. Where not, the instance is due at once: to start, for removal, or to make sure it halts. */
const settles = {
  ready: true,
  down: false,
  halted: true,
  launchFailed: false,
  startFailed: false,
  vanished: false,
  removed: true,
} as const satisfies Record<Observation, boolean>;

/** What is to be recorded of one instance. */
export type ObservationReport = {
  [F in Observation]: { readonly fence: Fence; readonly fact: F; readonly details: ObservationDetails[F] };
}[Observation];

/**
 * Records the fact and gives up the lease. False, and nothing was changed, when a newer wish came, the lease is
 * another's, or the fact does not apply to the state.
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
 * As recordObservation, of several instances; no two of one. In their order. One statement for all of them, because what a
 * statement costs (its triggers, its plan, its way) is several times what one more row of it does.
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
  await recordEvents(
    tx,
    recorded.flatMap(({ report, row }) => eventsOf(report, row)),
  );
  // Last, because it locks accounts' rows, which every launch of the account wants.
  await releaseCapacity(
    tx,
    idsOf((fact) => fact === "removed"),
  );
  const done = new Set(recorded.map(({ report }) => report));
  return reports.map((report) => done.has(report));
}

/** None of a machine that is down on its way through a reboot: that it boots was told when it was wished. */
function eventsOf({ fact, details }: ObservationReport, row: Told): NewEvent[] {
  if (fact === "down") return [];
  const entered = instanceEvent(row, asState(row.state));
  return "failure" in details ? [instanceEvent(row, "failed"), entered] : [entered];
}

function billOf(fact: Observation): string | undefined {
  const effects: Partial<Record<Observation, string>> = bill;
  return effects[fact];
}

const opens = "opens if never opened";

/** The rows that entered a state. Several are locked first, in order of id, as everybody does who locks several. */
async function enteredStates(tx: Transaction, reports: readonly ObservationReport[]): Promise<Told[]> {
  if (reports.length <= 1) return ask(tx, entered(reports));
  const [, rows] = await together(tx, [lockedInOrder(reports.map(({ fence }) => fence.id)), entered(reports)] as const);
  return rows;
}

/**
 * The facts' rows of the transition table go into the statement, so state and fences are judged in one place.
 *
 * While a lease runs, `next_look_at = lease_until` says that nobody asked for another look since it was taken
 * (lease-store.ts); where somebody did, the instance stays due although it is settled.
 *
 * A lifetime counts from when the bill begins: `billing_now()` is what openSpans writes in this transaction. Where it
 * has begun, `expires_at` is set already, or there is no lifetime.
 */
function entered(reports: readonly ObservationReport[]): Question<Told[]> {
  const failureOf = ({ details }: ObservationReport) => ("failure" in details ? details.failure : undefined);
  const target = sql`(r.leads ->> i.state)`;
  const query = sql<Told>`
    update instances i set
      state = ${target},
      progress = null,
      halt_first = false,
      ip = coalesce(r.address, i.ip),
      failure_code = coalesce(r.code, failure_code),
      failure_message = coalesce(r.message, failure_message),
      expires_at = case when r.opens
        then coalesce(expires_at, billing_now() + make_interval(secs => max_lifetime_seconds)) else expires_at end,
      ${entryColumns(statesEnteredBy(observations), target, sql.lit("failure" satisfies Ending))},
      fulfilled_generation = case when r.settles then i.generation else fulfilled_generation end,
      attempts = 0,
      next_look_at = case
        when ${target} = ${sql.lit(finalState)} then null
        when r.settles and (lease_until is null or next_look_at = lease_until) then null
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
        ${reports.map(({ fact }) => settles[fact])}::boolean[]
      ) as r (id, generation, owner, leads, address, code, message, opens, settles)
    where i.id = r.id and i.generation = r.generation and r.leads ->> i.state is not null
      and (r.owner is null or i.lease_owner = r.owner)
    returning ${told("i")}`;
  return question(query, (rows) => rows);
}
