// kill -9 of the real program right before and right after each step of evictions, while it gives a spot instance notice,
// tells its guest, ends it, withdraws the notice of another and starts a third one that was halted for nothing: the next
// program goes on where it died, and what is needed is evicted, once, and nothing else. LESSOR_TEST_ONLY names one point.

import { sql } from "kysely";
import { expect, it } from "vitest";
import { evictorFailpoints, guestNoticeFailpoints, noFailpoints } from "../../src/reconciler/failpoints.ts";
import { GuestNotices } from "../../src/reconciler/guest-notices.ts";
import { startReconciler } from "../../src/reconciler/reconciler.ts";
import type { WaitingLaunch } from "../../src/rental/waiting/waiting-launch.ts";
import { cancelWait } from "../../src/rental/waiting/waiting-store.ts";
import { auditEverything } from "../support/audit.ts";
import { quiet, type Stage } from "../support/stage.ts";
import { Waiting } from "../support/waiting.ts";
import { figure } from "./figures.ts";
import { killedAndReplaced, killedAtEach } from "./killed-at-steps.ts";

it("a program killed at any step of evictions leaves nothing behind that another does not put right", async () => {
  const points = [...evictorFailpoints, ...guestNoticeFailpoints];
  const found = await killedAtEach("evictions", points, killedAt);
  figure("spot instances evicted for nothing, not evicted, or told the wrong thing after them", {
    reached: found.length,
    toReach: 0,
  });
  expect(found).toEqual([]);
});

const regions = { evicted: "north", withdrawn: "south", undone: "west" } as const;

/** A program with all of that to do dies at the point, another one takes over. What is wrong then. */
async function killedAt(stage: Stage, killAt: string): Promise<string[]> {
  const { world, db } = stage;
  const waiting = new Waiting(world);
  await world.image();
  await world.product({ name: "one", gpus: 1, spotPriceCentsPerHour: 30 });
  const [ann, bob] = [await waiting.customer(), await waiting.customer()];
  for (const region of Object.values(regions)) await stage.host({ gpus: 1, region });
  const spot = async (region: string) => (await world.launchOne(bob, { instanceType: "one", region, spot: true })).id;
  const ids = {
    evicted: await spot(regions.evicted),
    withdrawn: await spot(regions.withdrawn),
    undone: await spot(regions.undone),
  };
  await running(stage);
  const asks = (region: string) => waiting.waits(ann, { instanceType: "one", region });
  const cancel = ({ id }: WaitingLaunch) => world.tx((tx) => cancelWait(tx, ann, id));

  // One was halted for a launch that has gone, and does not run yet.
  const first = await asks(regions.undone);
  await waiting.evict();
  await sql`update instances set evict_at = now() + interval '20 seconds' where id = ${ids.undone}`.execute(db);
  await waiting.evict();
  await running(stage);
  // The launch that another was given notice for has gone, and its guest was told.
  const second = await asks(regions.withdrawn);
  await waiting.evict();
  await tellGuests(stage);
  await cancel(first);
  await waiting.evict();
  await cancel(second);
  const launch = await asks(regions.evicted);

  const now = async () => {
    const { rows } = await sql<Now>`
      select i.id, i.state, i.ended_by, i.evict_at is not null as "isUnderNotice", i.evict_stopped as "isStopped", m.files
      from instances i left join simulated.machines m on m.id = i.id
      where i.account_id = ${bob.accountId} order by i.position`.execute(db);
    return { instances: rows, launch: await waiting.stateOf(launch) };
  };
  const runs = { state: "active", ended_by: null, isUnderNotice: false, isStopped: false, files: null };
  const wanted = {
    instances: [
      { id: ids.evicted, ...runs, state: "terminated", ended_by: "preempted", isUnderNotice: true },
      { id: ids.withdrawn, ...runs },
      { id: ids.undone, ...runs },
    ],
    launch: "placed",
  };
  const isAtRest = async () => {
    const query = db.selectFrom("instances").select("id").where("next_look_at", "is not", null);
    return JSON.stringify(simple(await now())) === JSON.stringify(wanted) && (await query.execute()).length === 0;
  };
  const came = await killedAndReplaced(stage, killAt, isAtRest, now, "limits: { spot: { notice_seconds: 4 } }\n");
  const { rows } = await sql<{ told: string }>`
    select format('%s %s', type, case subject_id when ${ids.evicted}::uuid then 'evicted'
      when ${ids.withdrawn}::uuid then 'withdrawn' else 'undone' end) as told
    from events where type like 'instance.preempt%' order by position`.execute(db);
  const told = rows.map((row) => row.told).sort();
  const toldOnce = [
    "instance.preempted evicted",
    ...["evicted", "undone", "withdrawn"].map((one) => `instance.preemption_notice ${one}`),
    ...["undone", "withdrawn"].map((one) => `instance.preemption_withdrawn ${one}`),
  ];
  const { lost, orphans, capacity, spans, events } = await auditEverything(db);
  return [
    ...came,
    ...(JSON.stringify(told) === JSON.stringify(toldOnce) ? [] : [`it told ${told.join(", ")}`]),
    ...[lost, orphans, capacity, spans, events].flat(),
  ];
}

interface Now {
  readonly id: string;
  readonly state: string;
  readonly ended_by: string | null;
  readonly isUnderNotice: boolean;
  readonly isStopped: boolean;
  /** By path; null: no machine, or none. */
  readonly files: Record<string, string> | null;
}

/** Without files is without files. */
function simple<N extends { instances: readonly Now[] }>(now: N): N {
  const instances = now.instances.map((one) => ({
    ...one,
    files: one.files === null || Object.keys(one.files).length === 0 ? null : one.files,
  }));
  return { ...now, instances };
}

/** Until every instance is as it is to be. */
async function running(stage: Stage): Promise<void> {
  const engine = stage.engine();
  const reconciler = startReconciler({
    db: stage.db,
    databaseUrl: stage.world.url,
    engines: new Map([[engine.name, engine]]),
    keyRing: stage.world.service.keyRing,
    settings: { ...quiet, pollSeconds: 3600 },
    log: stage.log,
    gate: noFailpoints,
  });
  for (let round = 0; round < 4; round++) await reconciler.idle();
  await reconciler.stop();
}

async function tellGuests(stage: Stage): Promise<void> {
  const notices = new GuestNotices({ db: stage.db, engine: stage.engine(), log: stage.log, gate: noFailpoints });
  await notices.begin(new AbortController().signal);
  await notices.ended();
}
