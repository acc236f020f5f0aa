// Throws where what is held and what is counted as held do not agree; for the end of any test that moves capacity. And
// the audit of everything, for tests that let the reconciler be killed.

import type { Database } from "../../src/database/connect.ts";
import { booksDisagree } from "./books.ts";
import { spansDisagree } from "./lifetimes.ts";
import { machinesDisagree } from "./machine-books.ts";
import { storiesDisagree } from "./stories.ts";

/** Throws an error with one line for each place where hosts, GPUs, pools or accounts differ from the instances. */
export async function auditCapacity(db: Database): Promise<void> {
  const lines = await booksDisagree(db);
  if (lines.length > 0) throw new Error(`the books do not agree:\n  ${lines.join("\n  ")}`);
}

/** What an audit found, one line each; all empty: all is well. */
export interface Audit {
  /** Live instances whose machine is not there, or not as it should be. */
  readonly lost: readonly string[];
  /** Machines that nobody rents. */
  readonly orphans: readonly string[];
  /** Capacity that is counted as held and is not, or the other way round. */
  readonly capacity: readonly string[];
  /** Spans that are not their instance's lifetime. */
  readonly spans: readonly string[];
  /** Instances whose events tell a change twice, not at all, or out of order. */
  readonly events: readonly string[];
}

/** Looks at everything, in the simulated world too. To be asked when nothing moves any more. */
export async function auditEverything(db: Database): Promise<Audit> {
  const { lost, orphans } = await machinesDisagree(db);
  return {
    lost,
    orphans,
    capacity: await booksDisagree(db),
    spans: await spansDisagree(db),
    events: await storiesDisagree(db),
  };
}
