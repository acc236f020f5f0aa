// Records what an engine reported of an instance: state, event, money and capacity in one transaction (lifecycle.ts says
// which). Fulfilment is the only caller; customers' wishes are change.ts.
//
// Invariant: a fact is recorded once, or not at all. Three fences stand in the one UPDATE: the generation (a newer wish
// makes what was seen for the older one worthless), the lease (a worker that lost it can change nothing), and the state
// itself (a fact that does not apply changes nothing). Whoever gets `false` has to look again.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/schema.ts";
import { closeSpan, openSpan } from "../billing/ledger.ts";
import { releaseCapacity } from "../capacity/release.ts";
import { recordEvents } from "../events/record.ts";
import { instanceEvent } from "./instance-event.ts";
import { asState, bill, type Fact, facts, type State } from "./lifecycle.ts";

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
export interface FactDetails {
  ready: { readonly ip: string };
  halted: Nothing;
  launchFailed: { readonly failure: Failure };
  startFailed: { readonly failure: Failure };
  vanished: { readonly failure: Failure };
  removed: Nothing;
}

/** Whether reality is then as wished. Where not, the instance is due at once: for removal, or to make sure it halts. */
const settles = {
  ready: true,
  halted: true,
  launchFailed: false,
  startFailed: false,
  vanished: false,
  removed: true,
} as const satisfies Record<Fact, boolean>;

/**
 * Records the fact and gives up the lease. False, and nothing was changed, when a newer wish came, the lease is
 * another's, or the fact does not apply to the state.
 */
export async function recordFact<F extends Fact>(
  tx: Transaction,
  fence: Fence,
  fact: F,
  details: FactDetails[F],
): Promise<boolean> {
  const row = await enterState(tx, fence, fact, details);
  if (row === undefined) return false;
  const money: Partial<Record<Fact, string>> = bill;
  if (money[fact] === "opens if never opened") await openSpan(tx, row.id);
  if (money[fact] === "closes") await closeSpan(tx, [row.id]);
  const entered = instanceEvent(row, asState(row.state));
  await recordEvents(tx, "failure" in details ? [instanceEvent(row, "failed"), entered] : [entered]);
  // Last, because it locks the account's row, which every launch of the account wants.
  if (fact === "removed") await releaseCapacity(tx, row.id);
  return true;
}

/**
 * The fact's row of the transition table goes into the statement, so state and fences are judged in one place.
 *
 * While a lease runs, `next_look_at = lease_until` says that nobody asked for another look since it was taken
 * (lease-store.ts); where somebody did, the instance stays due although it is settled.
 */
async function enterState<F extends Fact>(
  tx: Transaction,
  { id, generation, leaseOwner }: Fence,
  fact: F,
  details: FactDetails[F],
): Promise<Selectable<InstancesTable> | undefined> {
  const row: Partial<Record<State, State>> = facts[fact];
  const target = sql<State>`(${JSON.stringify(row)}::jsonb ->> state)`;
  const failure = "failure" in details ? details.failure : undefined;
  const { rows } = await sql<Selectable<InstancesTable>>`
    update instances set
      state = ${target},
      progress = null,
      health = case when ${target} = 'terminated' then 'ok' else health end,
      ip = coalesce(${"ip" in details ? details.ip : null}, ip),
      failure_code = coalesce(${failure?.code ?? null}, failure_code),
      failure_message = coalesce(${failure?.message ?? null}, failure_message),
      active_at = case when ${target} = 'active' then coalesce(active_at, now()) else active_at end,
      terminating_at = case when ${target} = 'terminating' then now() else terminating_at end,
      terminated_at = case when ${target} = 'terminated' then now() end,
      fulfilled_generation = case when ${settles[fact]} then generation else fulfilled_generation end,
      attempts = 0,
      next_look_at = case
        when ${target} = 'terminated' then null
        when ${settles[fact]} and (lease_until is null or next_look_at = lease_until) then null
        else now() end,
      lease_owner = null,
      lease_until = null
    where id = ${id} and generation = ${generation} and ${target} is not null
      and (${leaseOwner ?? null}::uuid is null or lease_owner = ${leaseOwner ?? null}::uuid)
    returning *`.execute(tx);
  return rows[0];
}
