// A launch that waits until it can be placed, as it is stored and shown. rules/waiting-launches.ts has its states.

import type { Selectable } from "kysely";
import type { WaitingLaunchesTable } from "../../database/tables/launches.ts";
import {
  asBlocker,
  asWaitingLaunchState,
  type Blocker,
  type WaitingLaunchState,
  waitingState,
} from "../../rules/waiting-launches.ts";

export interface WaitingLaunch {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
  /** Ascending in the order in which they are placed, of all accounts. */
  readonly position: number;
  /** How many launches come before it that wait for GPUs of its model in its region; null: it is over, or not asked. */
  readonly ahead: number | null;
  /** When a host that is kept for it is expected to have room; null: not known. */
  readonly expectedAt: Date | null;
  readonly state: WaitingLaunchState;
  readonly instanceType: string;
  /** Undefined: every one. */
  readonly region: string | undefined;
  readonly quantity: number;
  readonly maxPriceCentsPerHour: number | null;
  readonly isSpot: boolean;
  readonly until: Date;
  /** While it waits. */
  readonly blockedBy: Blocker | null;
  /** What it waits for, in words, and what is evicted for it; null when it is over. */
  readonly blockedMessage: string | null;
  /** Why it was refused. */
  readonly reason: string | null;
  /** Of the instances, once it is placed. */
  readonly instanceIds: readonly string[];
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** The context that its encrypted order is bound to. */
export const orderContext = (id: string): string => `waiting_launch:${id}:order`;

/** The spot instances that are evicted for it; `at`: when the last one is, null: there is none. */
export interface Evictions {
  readonly instances: number;
  readonly at: string | null;
}

/** A row, with what is asked of its place among others. */
export type WaitingRow = Selectable<WaitingLaunchesTable> & {
  readonly ahead?: number;
  readonly expected_at?: Date | null;
  readonly evictions?: Evictions;
};

export function fromRow(row: WaitingRow): WaitingLaunch {
  const state = asWaitingLaunchState(row.state);
  const waits = state === waitingState;
  return {
    id: row.id,
    accountId: row.account_id,
    tokenId: row.token_id,
    position: row.position,
    ahead: waits ? (row.ahead ?? null) : null,
    expectedAt: waits ? (row.expected_at ?? null) : null,
    state,
    instanceType: row.instance_type,
    region: row.region ?? undefined,
    quantity: row.quantity,
    maxPriceCentsPerHour: row.max_price_cents_per_hour,
    isSpot: row.spot,
    until: row.wait_until,
    blockedBy: waits ? asBlocker(row.blocked_by) : null,
    blockedMessage: waits ? row.blocked_message + evictionWords(row.evictions) : null,
    reason: row.reason,
    instanceIds: row.instance_ids,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

function evictionWords({ instances, at }: Evictions = { instances: 0, at: null }): string {
  if (at === null) return "";
  const what = instances === 1 ? "1 spot instance is" : `${instances} spot instances are`;
  return ` ${what} being evicted for it, by ${new Date(at).toISOString()}.`;
}
