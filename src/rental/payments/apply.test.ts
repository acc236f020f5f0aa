// The database has the statuses of rules/payments.ts, and refuses a payment that is paid twice or at no time.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { paymentProviders, paymentStatuses } from "../../rules/payments.ts";

const world = worldOfFile();

it.each([
  ["payments_status", paymentStatuses],
  ["payments_provider", paymentProviders],
] as const)("%s has the words of the table", async (constraint, words) => {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${constraint}`.execute(world.db);
  expect([...(rows[0]?.text.matchAll(/'([a-z_]+)'/g) ?? [])].map(([, word]) => word)).toEqual(words);
});
