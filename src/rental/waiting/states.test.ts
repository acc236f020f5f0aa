// The states of launches and what blocks them: the checks of the database are the tables of the code.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { blockers, waitingLaunchStates } from "../../rules/waiting-launches.ts";

const world = worldOfFile();

it.each([
  ["waiting_launches_state_check", waitingLaunchStates],
  ["waiting_launches_blocked_by_check", blockers],
] as const)("%s has the same words", async (name, words) => {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${name}`.execute(world.db);
  const found = [...(rows[0]?.text.matchAll(/'([a-z-]+)'/g) ?? [])].map(([, word]) => word);
  expect(found.sort()).toEqual([...words].sort());
});
