// Reads of balances. Usage is counted as it happens, without an event, so that a balance on the screen is read again.

import type { Answered, LessorClient, Shape } from "../../../src/client/client.ts";
import { useRead } from "../api/queries.ts";

/** What changes with an entry of a ledger. */
export const balanceSubjects = ["balance", "ledger"];

const pollMilliseconds = 60_000;

/** `key`: what tells it from the balances of others. */
export const useBalance = (
  key: string,
  ask: (client: LessorClient) => Promise<Answered<{ readonly data: Shape<"Balance"> }>>,
) => useRead(["balance", key], ask, { again: () => pollMilliseconds });
