import { sql } from "kysely";
import { expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { deleteOldNotices } from "./retention.ts";

const world = worldOfFile();

it("notes of warnings are kept for this month and the last, and deleted after that", async () => {
  await sql`insert into spend_notices (subject_id, month, limit_cents, kind)
    select gen_random_uuid(), (date_trunc('month', now() at time zone 'UTC') - make_interval(months => ago)) at time zone 'UTC',
      ago, 'near'
    from unnest(array[0, 1, 2, 14]) as ago`.execute(world.db);
  expect(await deleteOldNotices(world.db)).toBe(2);
  const { rows } = await sql`select limit_cents from spend_notices order by 1`.execute(world.db);
  expect(rows).toEqual([{ limit_cents: 0 }, { limit_cents: 1 }]);
});
