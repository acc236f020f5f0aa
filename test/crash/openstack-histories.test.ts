// Random histories of instances on OpenStack with two replicas, against a model of what each instance was told to be
// (openstack/history.ts). openstack-steps.test.ts is thorough about one life; this has several lives at once, with all
// that befalls them in any order. On the fake cloud.
//
// LESSOR_TEST_SEED repeats a run: the choices, not the moments.

import { expect, it } from "vitest";
import { anySeed, seeded } from "../support/random.ts";
import { extent } from "../support/short.ts";
import { Stage } from "../support/stage.ts";
import { makeWorld } from "../support/world.ts";
import { figure } from "./figures.ts";
import { type Counts, History } from "./openstack/history.ts";
import { beginCloud, furnish } from "./openstack/life.ts";

/** So many databases and clouds at once. */
const LANES = 2;

/** Random histories; two seconds each. */
const histories = extent(200, 8);

it("whatever befalls instances on OpenStack, they end as they were told, once each, and are billed for their lifetimes", async () => {
  const seed = anySeed();
  const seeds = Array.from({ length: histories }, (_, index) => seed + index);
  const queue = [...seeds];
  const counts: Counts = { launches: 0, changes: 0, misfortunes: 0, kills: 0 };
  const wrong: string[] = [];
  const work = async () => {
    const stage = new Stage(await makeWorld());
    let cloud: Awaited<ReturnType<typeof beginCloud>> | undefined;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (cloud === undefined) {
        await stage.world.empty();
        await stage.empty();
        cloud = await beginCloud();
        await furnish(stage, cloud);
      }
      const found = await new History(stage, cloud, seeded(next), counts).run();
      wrong.push(...found.map((line) => `seed ${next}: ${line}`));
      // What is wrong once would be found again after every history that follows.
      if (found.length > 0) cloud = undefined;
    }
    await stage.world.close();
  };
  await Promise.all(Array.from({ length: LANES }, work));
  const { launches, changes, misfortunes, kills } = counts;
  figure("histories on OpenStack", { reached: seeds.length, toReach: seeds.length, of: `seed ${seed}` });
  figure("instances in them", {
    reached: launches,
    toReach: "some",
    of: `${changes} changes, ${misfortunes} misfortunes, ${kills} kills`,
  });
  figure("lost, doubled, left over or wrongly billed after them", { reached: wrong.length, toReach: 0 });
  expect(wrong).toEqual([]);
});
