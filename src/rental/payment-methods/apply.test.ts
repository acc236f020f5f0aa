// The database has the statuses of rules/payment-methods.ts.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { methodStatuses } from "../../rules/payment-methods.ts";

const world = worldOfFile();

it("has the words of the table", async () => {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'payment_methods_status'`.execute(
    world.db,
  );
  expect([...(rows[0]?.text.matchAll(/'([a-z_]+)'/g) ?? [])].map(([, word]) => word)).toEqual(methodStatuses);
});
