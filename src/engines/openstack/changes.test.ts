import { expect, it } from "vitest";
import { eventually } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import { beginFakeRabbit, type FakeRabbit, notificationsOf } from "../../../test/support/fake-rabbit.ts";
import { enveloped, versioned } from "../../../test/support/notification-bodies.ts";
import { afterTest } from "../../../test/support/when-over.ts";
import { Changes } from "./changes.ts";
import { openCloud } from "./cloud.ts";
import type { OpenStackSettings } from "./settings/settings.ts";

const detail = /detail$/;
const topic = "versioned_notifications.info";

const notifiedBy = (rabbit: FakeRabbit, pollSeconds: number) => (settings: OpenStackSettings) => ({
  ...settings,
  pollSeconds,
  regions: settings.regions.map((region) => ({ ...region, notifications: notificationsOf(rabbit) })),
});

/** Changes whose pauses the test ends. */
async function begin(change: (settings: OpenStackSettings) => OpenStackSettings = (settings) => settings) {
  const stand = await beginEngines();
  const heard: string[] = [];
  const pauses: number[] = [];
  const going: (() => void)[] = [];
  const state = { isBooting: false, gaps: 0 };
  const cloud = openCloud(change(stand.settings), "installation-1");
  const changes = new Changes(
    cloud,
    {
      onChange: (id, status) => heard.push(`${id} ${status}`),
      onGap: () => state.gaps++,
      isBooting: () => state.isBooting,
    },
    {
      pause: (milliseconds, within) => {
        pauses.push(milliseconds);
        return new Promise((resolve, reject) => {
          within.addEventListener("abort", () => reject(within.reason));
          going.push(() => resolve(undefined));
        });
      },
    },
  );
  afterTest(async () => {
    changes.close();
    await cloud.client.close();
  });
  await eventually(() => pauses.length).toBe(1);
  /** The pause is over, and the next question is answered. */
  const next = async () => {
    const { length } = pauses;
    going.pop()?.();
    await eventually(() => pauses.length).toBe(length + 1);
  };
  const told = async () => {
    heard.length = 0;
    await next();
    return heard;
  };
  return { ...stand, changes, pauses, state, next, told };
}

it("tells once that it listens, of each change once, and of deleted servers, which have no tags", async () => {
  const { engine, spec, told, state, world, ...stand } = await begin();
  expect(state.gaps).toBe(1);
  const machine = spec();
  await booted(engine, machine);
  const server = serverOf({ ...stand, world }, machine);
  await eventually(() => "lessor-secret-0" in server.metadata).toBe(false);
  expect(await told()).toEqual([`${machine.id} ACTIVE`]);
  expect(await told()).toEqual([]);
  server.updated = new Date(server.updated.getTime() + 1000);
  world.life.halt(server);
  expect(await told()).toEqual([`${machine.id} SHUTOFF`]);
  world.life.removeNow(server);
  expect(await told()).toEqual([`${machine.id} DELETED`]);
  expect(state.gaps).toBe(1);
});

it("asks in the service's own time, some seconds before its last answer", async () => {
  const { fake, next } = await begin();
  fake.identity.clockAheadMs = -3_600_000;
  await next();
  await next();
  const since = Date.parse(fake.seen("compute", "GET", detail).at(-1)?.query.get("changes-since") ?? "");
  const behind = fake.identity.now().getTime() - since;
  expect(behind).toBeGreaterThan(4000);
  expect(behind).toBeLessThan(60_000);
});

it("servers of others are no change", async () => {
  const { world, project, told } = await begin();
  world.addServer("of the operator", project, world.addFlavor("small", { vcpus: 1, ram: 1024, disk: 1 }));
  expect(await told()).toEqual([]);
});

it("after an outage it tells of a gap, and pauses five seconds while it lasts", async () => {
  const { fake, next, state, pauses } = await begin();
  await fake.stop("compute");
  await next();
  await next();
  expect([state.gaps, ...pauses.slice(-2)]).toEqual([1, 5000, 5000]);
  await fake.begin("compute");
  await next();
  expect(state.gaps).toBe(2);
  await next();
  expect(state.gaps).toBe(2);
});

it("a list that has no end in one answer is a gap", async () => {
  const { fake, next, state } = await begin();
  const body = { servers: [], servers_links: [{ rel: "next", href: "http://127.0.0.1/servers/detail?marker=1" }] };
  fake.faults.add("compute", "GET", detail, { answer: { status: 200, body } });
  await next();
  expect(state.gaps).toBe(2);
});

it("asks each second while a machine boots, and soon after one begins to", async () => {
  const { changes, state, next, pauses, fake } = await begin();
  expect(pauses).toEqual([1000]);
  state.isBooting = true;
  await next();
  expect(pauses.at(-1)).toBe(1000);
  const { length } = pauses;
  const asked = fake.seen("compute", "GET", detail).length;
  changes.hurry();
  await eventually(() => pauses.length).toBe(length + 1);
  expect(fake.seen("compute", "GET", detail)).toHaveLength(asked);
  await next();
  expect(fake.seen("compute", "GET", detail)).toHaveLength(asked + 1);
});

it("is what those who watch the engine hear of", async () => {
  const stand = await beginEngines();
  const machine = stand.spec();
  await booted(stand.engine, machine);
  const heard: string[] = [];
  stand.engine.watch((id) => heard.push(id));
  stand.world.life.halt(serverOf(stand, machine));
  await eventually(() => heard).toContain(machine.id);
});

it("is told of changes by notifications where they are configured, without asking", async () => {
  const rabbit = await beginFakeRabbit();
  const stand = await beginEngines({}, notifiedBy(rabbit, 3600));
  const [gaps, heard]: [number[], string[]] = [[], []];
  stand.engine.watch(
    (id) => heard.push(id),
    () => gaps.push(1),
  );
  await eventually(() => rabbit.consumers).toBe(1);
  const machine = stand.spec();
  const about = (project: string) => enveloped(versioned({ name: `lessor-${machine.id}`, project }));
  await eventually(() => gaps).toEqual([1]);
  rabbit.publish(topic, about(stand.otherProject.id));
  rabbit.publish(topic, about(stand.project.id));
  await eventually(() => heard).toEqual([machine.id]);
  await stand.engine.close();
  await eventually(() => rabbit.queues.size).toBe(0);
});

it("asks less often while notifications arrive, as often as ever when they stop, and soon after either", async () => {
  const rabbit = await beginFakeRabbit();
  rabbit.isMute = true;
  const { pauses, state, next, project } = await begin(notifiedBy(rabbit, 10));
  rabbit.speak();
  // It listens: what was not told before is asked for soon.
  await eventually(() => pauses).toEqual([10_000, 1000]);
  await next();
  expect(pauses.at(-1)).toBe(10_000);
  const name = `lessor-${crypto.randomUUID()}`;
  rabbit.publish(topic, enveloped(versioned({ name, project: project.id })));
  await eventually(() => rabbit.acknowledged).toBe(1);
  await next();
  expect(pauses.at(-1)).toBe(60_000);
  state.isBooting = true;
  await next();
  expect(pauses.at(-1)).toBe(5000);
  state.isBooting = false;
  await next();
  const { length } = pauses;
  rabbit.cut();
  await eventually(() => pauses.slice(length - 1)).toEqual([60_000, 1000]);
  await next();
  expect(pauses.at(length + 1)).toBe(10_000);
});

it("asks as often as ever where a change was not told by notifications", async () => {
  const rabbit = await beginFakeRabbit();
  rabbit.isMute = true;
  const { engine, spec, pauses, next, project, ...stand } = await begin(notifiedBy(rabbit, 10));
  rabbit.speak();
  await eventually(() => pauses).toEqual([10_000, 1000]);
  const machine = spec();
  await booted(engine, machine);
  rabbit.publish(topic, enveloped(versioned({ name: `lessor-${machine.id}`, project: project.id, state: "active" })));
  await eventually(() => rabbit.acknowledged).toBe(1);
  await next();
  expect(pauses.at(-1)).toBe(60_000);
  const server = serverOf({ ...stand, project }, machine);
  server.updated = new Date(server.updated.getTime() + 1000);
  stand.world.life.halt(server);
  await next();
  await next();
  expect(pauses.at(-1)).toBe(10_000);
});
