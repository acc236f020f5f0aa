// Which hosts are reached, as several replicas record it.

import { expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { worldOfFile } from "../../../test/support/world.ts";
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
