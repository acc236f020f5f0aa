// Which names of a launch are used by the account's instances already. Names need not be unique, so this is a warning
// before a launch. Used by the quote of the control interface.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { isLive, statesWhere } from "../../rules/lifecycle.ts";
import { checkInstanceName, numbered } from "../../rules/names.ts";
import { invalid } from "../errors.ts";
import type { Principal } from "../service.ts";

/**
 * The numbered names of a launch of `quantity` instances called `name` that live instances of the account have; in
 * order. Throws RentalError invalid-parameters with `field` for an invalid name.
 */
export async function namesInUse(
  db: Database,
  { accountId }: Pick<Principal, "accountId">,
  { name, quantity, field }: { readonly name: string; readonly quantity: number; readonly field: string },
): Promise<string[]> {
  const problem = checkInstanceName(name, quantity);
  if (problem !== undefined) throw invalid(field, problem);
  const names = Array.from({ length: quantity }, (_, index) => numbered(name, index + 1, quantity));
  const { rows } = await sql<{ name: string }>`
    select distinct name from instances
    where account_id = ${accountId} and state = any(${statesWhere(isLive)}::text[]) and name = any(${names}::text[])`.execute(
    db,
  );
  const found = new Set(rows.map((row) => row.name));
  return names.filter((one) => found.has(one));
}
