// The database knows the roles of the tables (rules/roles.ts), and no others.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { operatorRoles, teamRoles } from "../../rules/roles.ts";

const world = worldOfFile();

async function checkedBy(name: string): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${name}`.execute(world.db);
  return [...(rows[0]?.text.matchAll(/'([a-z-]+)'/g) ?? [])].map(([, word]) => word ?? "");
}

describe("the database", () => {
  it.each([
    ["memberships_role_check", teamRoles],
    ["invitations_role_check", teamRoles],
    ["tokens_operator_role_check", operatorRoles],
  ])("checks %s", async (name, roles) => {
    expect((await checkedBy(name)).toSorted()).toEqual([...roles].toSorted());
  });
});
