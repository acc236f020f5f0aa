// The events of GPUs that are quarantined, and released from that, for operators: they belong to no account. Written in
// the transaction of the change.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { EventWord } from "../events/event-types.ts";
import { recordEvents } from "../events/record.ts";

/** What an event says of a GPU. */
export interface GpuOfEvent {
  readonly id: string;
  readonly host: string;
  readonly address: string;
  readonly model: string;
  /** Why it is quarantined; of one that is released: why it was. */
  readonly reason: string | null;
  /** The name of the account of the operator who decided it; null: the service did. */
  readonly operator: string | null;
}

/** It as JSON, of a row of `gpus`. */
export const gpuOfEvent: RawBuilder<GpuOfEvent> = sql`jsonb_build_object('id', id, 'host', host, 'address', address,
  'model', model, 'reason', reason, 'operator', (select a.name from accounts a where a.id = decided_by))`;

/** Writes an event of each. */
export async function recordGpuEvents(
  tx: Transaction,
  word: EventWord<"gpu">,
  gpus: readonly GpuOfEvent[],
): Promise<void> {
  await recordEvents(
    tx,
    gpus.map(({ id, host, address, model, reason, operator }) => ({
      accountId: null,
      type: `gpu.${word}`,
      subjectId: id,
      data: { gpu_id: id, host, address, model, reason, operator },
    })),
  );
}
