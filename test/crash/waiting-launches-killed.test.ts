// kill -9 of the real program right before and right after each step of the placer, while it places a waiting launch, finds
// that another cannot be placed, ends one whose wait is over, gives a host back and keeps another: the next program places
// what is to be placed, once, and nothing is left over. LESSOR_TEST_ONLY names one point.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { placerFailpoints } from "../../src/reconciler/failpoints.ts";
import { changeAccount } from "../../src/rental/accounts/account-store.ts";
import { auditEverything } from "../support/audit.ts";
import type { Stage } from "../support/stage.ts";
import { Waiting } from "../support/waiting.ts";
import { figure } from "./figures.ts";
import { killedAndReplaced, killedAtEach } from "./killed-at-steps.ts";

it("a program killed at any step of the placer leaves nothing behind that another does not put right", async () => {
  const found = await killedAtEach("the placer", placerFailpoints, killedAt);
  figure("waiting launches lost, doubled or left over after them", { reached: found.length, toReach: 0 });
  expect(found).toEqual([]);
});

/** A program with all of that to do dies at the point, another one takes over. What is wrong then. */
async function killedAt(stage: Stage, killAt: string): Promise<string[]> {
  const { world, db } = stage;
  const waiting = new Waiting(world);
  await world.image();
  for (const gpus of [1, 2, 4]) await world.product({ name: `of-${gpus}`, gpus, vcpus: gpus });
  const [ann, bob] = [await waiting.customer(), await waiting.customer()];
  const [north, south] = [await stage.host({ gpus: 2 }), await stage.host({ gpus: 4, region: "south" })];
  const asks = (gpus: number, part: { region?: string }, by = ann) =>
    waiting.waits(by, { instanceType: `of-${gpus}`, ...part });

  const tenant = await world.launchOne(bob, { instanceType: "of-2", region: "north" });
  await world.launchOne(bob, { instanceType: "of-1", region: "south" });
  const expires = await asks(4, { region: "south" });
  await waiting.place(); // keeps the south for it
  const keeps = await asks(4, { region: "south" });
  const places = await asks(1, { region: "north" });
  const refused = await asks(1, { region: "north" }, bob);
  const last = await asks(1, { region: "north" });
  await sql`update waiting_launches set wait_until = now() where id = ${expires.id}`.execute(db);
  await world.tx((tx) => changeAccount(tx, bob.accountId, { quotas: { gpus: 0 } }));
  await waiting.end(bob, tenant.id);

  const all = { expires, keeps, places, refused, last };
  const wanted = {
    ...{ expires: "expired", keeps: "waiting for capacity", places: "placed" },
    ...{ refused: "waiting for quota", last: "placed" },
  };
  const now = async () =>
    Object.fromEntries(
      await Promise.all(Object.entries(all).map(async ([name, one]) => [name, await waiting.stateOf(one)])),
    );
  const kept = async () => {
    const query = db.selectFrom("hosts").select(["name", "earmarked_for"]).where("earmarked_for", "is not", null);
    return (await query.execute()).map((host) => `${host.name} is kept for ${host.earmarked_for}`);
  };
  const isAtRest = async () => {
    const query = db.selectFrom("instances").select("id").where("next_look_at", "is not", null);
    const isRight = JSON.stringify(await now()) === JSON.stringify(wanted);
    return isRight && (await kept())[0] === `${south} is kept for ${keeps.id}` && (await query.execute()).length === 0;
  };
  const came = await killedAndReplaced(stage, killAt, isAtRest, async () => [await now(), await kept()]);
  const instances = await db
    .selectFrom("instances")
    .select(["id", "host"])
    .where("account_id", "=", ann.accountId)
    .execute();
  const told = await db.selectFrom("events").select("subject_id").where("type", "=", "launch.placed").execute();
  const { lost, orphans, capacity, spans, events } = await auditEverything(db);
  const hosts = await kept();
  return [
    ...came,
    ...(instances.length === 2 && instances.every(({ host }) => host === north)
      ? []
      : [`instances are ${JSON.stringify(instances)}`]),
    ...(told.length === 2 ? [] : [`${told.length} were told of as placed`]),
    ...(hosts.length === 1 ? [] : hosts),
    ...[lost, orphans, capacity, spans, events].flat(),
  ];
}
