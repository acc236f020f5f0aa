// Throws where what is held and what is counted as held do not agree; for the end of any test that moves capacity.

import type { Database } from "../../src/database/connect.ts";
import { booksDisagree } from "./books.ts";

/** Throws an error with one line for each place where hosts, GPUs, pools or accounts differ from the instances. */
export async function auditCapacity(db: Database): Promise<void> {
  const lines = await booksDisagree(db);
  if (lines.length > 0) throw new Error(`the books do not agree:\n  ${lines.join("\n  ")}`);
}
