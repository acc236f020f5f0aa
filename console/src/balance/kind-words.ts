// The kinds of entries of the ledger in words. Pure.

import type { LedgerKind } from "../../../src/rules/ledger.ts";

/** What customers call it where that is another word. */
const words: Partial<Record<LedgerKind, string>> = { top_up: "Payment" };

/** "Payment", "Usage", "Voucher". */
export const kindTitle = (kind: LedgerKind): string =>
  words[kind] ?? `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll("_", " ")}`;
