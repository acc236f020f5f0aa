// Events of types that there are none of, for tests of what does not look at the type.

import type { Transaction } from "../../src/database/connect.ts";
import { type NewEvent, recordEvents } from "../../src/rental/events/record.ts";
import { written } from "./interleave.ts";

type AnyEvent = Omit<NewEvent, "type"> & { readonly type: string };

/** As recordEvents, which takes those of event-types.ts only; and they are written when it comes back. */
export async function recordAny(tx: Transaction, events: readonly AnyEvent[]): Promise<void> {
  await recordEvents(tx, events as readonly NewEvent[]);
  await written(tx);
}
