// A launch with a wait on OpenStack, whose Nova accepts the server and finds later that no host has room for it: on the fake,
// with the hints of what was deleted.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { OpenStackEngine } from "../../src/engines/openstack/engine.ts";
import { auditCapacity } from "../support/audit.ts";
import { beginStand } from "../support/fake-openstack/stand.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { afterTest } from "../support/when-over.ts";

const stage = stageOfFile();

it("waits at a pace of its own, then is active with one server, billed from then on", async () => {
  const cloud = await beginStand({ hosts: ["gpu1"] });
  const engine = new OpenStackEngine(cloud.settings, "installation-1");
  afterTest(() => engine.close());
  const reconciler = stage.reconciler({ retrySeconds: [300, 300], lookSeconds: [0.05, 0.1] }, engine);
  await reconciler.sweepNow();
  const { world } = stage;
  await world.region("north");
  await world.image({ name: "debian-12" });
  const product = await world.product({ gpuModel: "h200_sxm5", vcpus: 4, memoryGib: 16, storageGb: 100 });
  cloud.fake.faults.add("compute", "POST", /\/servers$/, { spawn: "no-host" }, Number.POSITIVE_INFINITY);
  const { id } = await world.launchOne(await world.account(), { instanceType: product.name });
  await sql`update instances set waits_until = now() + interval '2 days' where id = ${id}`.execute(stage.db);
  const servers = () => [...cloud.world.servers.values()].filter(({ status }) => status !== "DELETED").length;
  const orders = () => cloud.fake.seen("compute", "POST", /\/servers$/).length;
  const changes = () => cloud.fake.seen("compute", "GET", /\/servers/).length;
  const isWaiting = async () => {
    const { state, progress, room_try_at: at } = await stage.row(id);
    return [state, progress, at !== null && at > new Date(), servers(), orders()];
  };
  for (const [tries, interval] of [
    [1, "0 seconds"],
    [2, "1 hour"],
    [3, "1 hour"],
  ] as const) {
    await travel(stage.db, interval);
    reconciler.poke();
    await expect.poll(isWaiting, { timeout: 20_000 }).toEqual(["booting", "waiting for capacity", true, 0, tries]);
    // The engine reads what has changed, and hints at the server that was deleted.
    const read = changes();
    await expect.poll(changes, { timeout: 20_000 }).toBeGreaterThan(read + 1);
    await reconciler.idle();
    expect(orders()).toBe(tries);
  }
  expect(await stage.span(id)).toBeUndefined();
  await auditCapacity(stage.db);
  cloud.fake.faults.clear();
  await travel(stage.db, "10 minutes");
  reconciler.poke();
  await expect.poll(() => stage.state(id), { timeout: 20_000 }).toBe("active");
  expect(servers()).toBe(1);
  const { active_at: activeAt } = await stage.row(id);
  expect((await stage.span(id))?.started_at).toEqual(activeAt);
  expect(await stage.story(id)).toEqual(["booting", "active"]);
}, 90_000);
