// How launches find what they need, in a database whose statements were planned when it was empty.

import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { eventually } from "../../../test/support/interleave.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

it("they find rows by index, also where foreign keys are checked", async () => {
  await world.host({ gpus: 32, vcpus: 10_000, memoryGib: 100_000, storageGb: 1_000_000 });
  const { name } = await world.product({ gpus: 1, vcpus: 1, memoryGib: 1, storageGb: 1 });
  await world.image();
  const { token } = await http.customer();
  await sql`analyze`.execute(world.db);
  await sql`select pg_stat_reset()`.execute(world.db);
  for (let n = 0; n < 30; n++) {
    const body = { instance_type_name: name, region_name: "any", ssh_key_names: [], quantity: 1 };
    const headers = { "idempotency-key": `key-${n}` };
    const path = `${http.marketplace}/instance-operations/launch`;
    expect((await http.call("POST", path, { token, body, headers })).status).toBe(200);
  }
  const counts = async () => {
    const { rows } = await sql<{ inserted: number; scans: number }>`
      select n_tup_ins::integer as inserted, seq_scan::integer as scans from pg_stat_user_tables
      where relname in ('instances', 'idempotency_keys')`.execute(world.db);
    return rows;
  };
  const all = await eventually(counts, (rows) => rows.length === 2 && rows.every(({ inserted }) => inserted >= 25));
  // Some are those of ANALYZE and of whoever else looks; else there would be one for each launch and more.
  expect(Math.max(...all.map(({ scans }) => scans))).toBeLessThan(10);
});
