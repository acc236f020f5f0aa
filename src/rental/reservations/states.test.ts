// The states of reservations: the checks of the database are the tables of the code; and when a warning is due.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { openReservationStates, reservationStates, warningDue } from "../../rules/reservations.ts";

const world = worldOfFile();

it("are those of the database", async () => {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'reservations_state_check'`.execute(
    world.db,
  );
  const found = [...(rows[0]?.text.matchAll(/'([a-z]+)'/g) ?? [])].map(([, word]) => word);
  expect(found).toEqual(reservationStates);
});

it("that are open are those of an index", async () => {
  const { rows } = await sql<{ text: string }>`
    select indexdef as text from pg_indexes where indexname = 'reservations_open'`.execute(world.db);
  const found = [...(rows[0]?.text.matchAll(/'([a-z]+)'/g) ?? [])].map(([, word]) => word);
  expect(found).toEqual(openReservationStates);
});

it.each([
  [3601, 7200, undefined],
  [3600, 7200, 3600],
  [601, 7200, 3600],
  [600, 7200, 600],
  [1, 7200, 600],
  [3000, 3600, undefined],
  [600, 3600, 600],
  [500, 600, undefined],
])("%i seconds before the end of one that lasts %i the warning %s is due", (left, lasts, due) => {
  expect(warningDue(left, lasts)).toBe(due);
});
