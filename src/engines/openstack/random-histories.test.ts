// Random histories: two replicas step machines on, as the reconciler does, while responses are lost, orders fail, services
// are restarted and others meddle. Whatever happened: once the cloud is well, each machine that is to be there has exactly
// one server, with its port and its secrets, and nothing is left of the others.

import { expect, it } from "vitest";
import { eventually, signal } from "../../../test/support/engine-calls.ts";
import {
  beginEngines,
  booted,
  type EngineStand,
  groupsOf,
  liveServersOf,
  portsOf,
  serverOf,
} from "../../../test/support/fake-openstack/engines.ts";
import type { Fault } from "../../../test/support/fake-openstack/faults.ts";
import { chosenSeed, type Random, seeded } from "../../../test/support/random.ts";
import { nextStep, observedStateOf } from "../../reconciler/step.ts";
import { type Engine, EngineError, type Inbound, type MachineSpec } from "../engine.ts";

const rules: readonly Inbound[] = [
  undefined,
  [],
  [{ protocol: "tcp", ports: [22, 22], source: "0.0.0.0/0" }],
  [{ protocol: "all", ports: [1, 65_535], source: "10.0.0.0/8" }],
];

interface Machine {
  readonly spec: MachineSpec;
  wanted: "booting" | "stopping" | "terminating";
}

/** One step of a machine on one replica. Throws what is no EngineError: the reconciler knows no other. */
async function step(engine: Engine, machine: Machine): Promise<void> {
  const { spec, wanted } = machine;
  try {
    if (wanted === "terminating") return await engine.remove(spec, signal());
    const action = nextStep(wanted, observedStateOf(await engine.inspect(spec, signal()), false));
    if (action === "create" || action === "start") await engine[action](spec, signal());
    else if (action === "stop") await engine.stop(spec, signal());
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    // The launch has failed.
    if (error.kind === "refused") machine.wanted = "terminating";
  }
}

async function misfortune({ fake, world }: EngineStand, machines: readonly Machine[], random: Random): Promise<void> {
  const one = random.one(machines);
  const live = [...world.servers.values()].filter(({ status }) => status !== "DELETED");
  const service = random.one(["compute", "network"] as const);
  const fault: Fault = random.one<Fault>([
    { drop: "after" },
    { drop: "before" },
    { fail: { status: 500 } },
    { fail: { status: 409 } },
    { spawn: { message: "the disk is gone" } },
    { slowMs: 20 },
  ]);
  await random.one([
    async () => fake.faults.add(service, random.one(["POST", "PUT", "DELETE"]), /./, fault),
    async () => fake.faults.add(service, "POST", /(servers|ports)$/, { drop: "after" }, 2),
    async () =>
      fake.faults.add("compute", "POST", /servers$/, { spawn: random.one(["no-host", "exhausted"] as const) }),
    async () => fake.restart(service),
    async () => fake.identity.revokeTokens(),
    async () => {
      if (live.length > 0) world.life.removeNow(random.one(live));
    },
    async () => {
      for (const port of portsOf({ world }, one.spec).filter(({ device }) => device === ""))
        world.networks.removePort(port);
    },
    async () => {
      for (const host of world.hosts.hosts.values()) host.down = random.below(4) === 0;
    },
    async () => {
      one.wanted = random.one(["booting", "stopping", "terminating"] as const);
    },
  ])();
}

it.each(Array.from({ length: 12 }, (_, index) => chosenSeed + index))("ends well with the choices %i", async (seed) => {
  const random = seeded(seed);
  const stand = await beginEngines({}, (settings) => ({
    ...settings,
    managementNetworks: ["127.0.0.0/8"],
    regions: settings.regions.map((region) => ({ ...region, floatingNetwork: "public" })),
  }));
  const engines = [stand.engine, stand.another()];
  const machines: Machine[] = Array.from({ length: 3 }, () => {
    const inbound = rules[random.below(rules.length)];
    const spec = stand.spec({ host: random.one(["gpu1", "gpu2"]), ...(inbound === undefined ? {} : { inbound }) });
    return { spec, wanted: "booting" };
  });
  for (let steps = 0; steps < 40; steps++) {
    if (random.below(4) === 0) await misfortune(stand, machines, random);
    const works = machines
      .filter(() => random.below(3) > 0)
      // Now and then by both: a lease can be lost.
      .flatMap((machine) => (random.below(8) === 0 ? engines : [random.one(engines)]).map((one) => step(one, machine)));
    await Promise.all(works);
    if (random.below(10) === 0)
      await random
        .one(engines)
        .list(signal())
        .catch(() => {});
  }
  stand.fake.faults.clear();
  for (const host of stand.world.hosts.hosts.values()) host.down = false;

  const stays = machines.filter(({ wanted }) => wanted !== "terminating");
  // A refusal of before the cloud was well may come first.
  for (const { spec } of stays) await booted(stand.engine, spec).catch(() => booted(stand.engine, spec));
  for (const { spec } of machines.filter((one) => !stays.includes(one))) await stand.engine.remove(spec, signal());
  await eventually(async () => {
    await stand.engine.list(signal());
    return machines.map(({ spec }) => liveServersOf(stand, spec).length);
  }).toEqual(machines.map((one) => (stays.includes(one) ? 1 : 0)));
  const { machines: listed } = await stand.engine.list(signal());
  expect(listed.map(({ id }) => id).sort()).toEqual(stays.map(({ spec }) => spec.id).sort());
  for (const { spec } of stays) {
    const server = serverOf(stand, spec);
    expect(portsOf(stand, spec)).toEqual(server.ports);
    expect(server.guestRead).toHaveProperty("lessor-secret-0");
  }
  const { ports, floatings } = stand.world.networks;
  expect([ports.size, floatings.size]).toEqual([stays.length, stays.length]);
  // And the one that lets everything in, which stays.
  const used = new Set([...ports.values()].flatMap(({ groups }) => groups));
  expect(groupsOf(stand).filter((id) => !used.has(id)).length).toBeLessThanOrEqual(1);
});
