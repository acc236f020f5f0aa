// Which hosts are reached, as several replicas record it.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { recordResync } from "../capacity/engine-health.ts";
import { listingBegins, recordReached } from "./lost-hosts.ts";

const world = worldOfFile();
const engine = "simulated";

const reach = async (name: string) => {
  const { unreachable_since: since } = await world.db
    .selectFrom("hosts")
    .select("unreachable_since")
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  const outages = await world.db.selectFrom("host_outages").select("ended_at").where("host", "=", name).execute();
  return { isReached: since === null, outages: outages.length };
};

it.each([
  ["unreached", true, { isReached: false, outages: 0 }],
  ["reached", false, { isReached: true, outages: 1 }],
])("a host that two replicas record as %s at the same time is so", async (_what, isGone, expected) => {
  const name = await world.host({ name: "a", gpus: 1 });
  const unreached = isGone ? [name] : [];
  if (!isGone) await recordReached(world.db, engine, [name], await listingBegins(world.db));
  const [first, second] = [await listingBegins(world.db), await listingBegins(world.db)];
  await using one = await begin(world.db);
  await recordReached(one.tx, engine, unreached, first, { only: [name] });
  const other = recordReached(world.db, engine, unreached, second, { only: [name] });
  await untilWaiting(world.db);
  await one.commit();
  await other;
  expect(await reach(name)).toEqual(expected);
});

it("a host is unreached since the last listing that reached it, though the resync of that failed after it", async () => {
  const name = await world.host({ name: "c", gpus: 1 });
  const lists = async (unreached: readonly string[]) =>
    recordReached(world.db, engine, unreached, await listingBegins(world.db));
  await lists([name]);
  await lists([]);
  await travel(world.db, "3 days");
  await lists([]);
  await recordResync(world.db, engine, "The images could not be read.");
  await travel(world.db, "1 minute");
  await lists([name]);
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from now() - unreachable_since)::float8 as seconds from hosts where name = ${name}`.execute(
    world.db,
  );
  expect(rows[0]?.seconds).toBeGreaterThanOrEqual(60);
  expect(rows[0]?.seconds).toBeLessThan(120);
});
