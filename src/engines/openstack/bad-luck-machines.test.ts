// What goes wrong with machines in a cloud, row by row: what happens, and what Lessor makes of it. What goes wrong with the
// cloud's services: bad-luck.test.ts.

import { expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import {
  beginEngines,
  booted,
  type EngineStand,
  groupsOf,
  liveServersOf,
  portsOf,
  serverOf,
  serversOf,
  stopped,
} from "../../../test/support/fake-openstack/engines.ts";
import type { Fault } from "../../../test/support/fake-openstack/faults.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import { listedStateOf, nextStep } from "../../reconciler/step.ts";
import { hostUnreachable, type MachineSpec, noSuchMachine } from "../engine.ts";

type Row = readonly [luck: string, then: string, prove: (stand: EngineStand) => Promise<void>];

const servers = /\/servers$/;
const managed = ["10.0.0.0/8"];

/** A machine whose first server ends as the fault says, after its start was accepted. */
async function failing(stand: EngineStand, spawn: NonNullable<Fault["spawn"]>): Promise<MachineSpec> {
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  stand.fake.faults.add("compute", "POST", servers, { spawn });
  await stand.engine.start(spec, signal());
  await eventually(() => serverOf(stand, spec).status).toBe("ERROR");
  return spec;
}

async function up(stand: EngineStand, part: Partial<MachineSpec> = {}): Promise<MachineSpec> {
  const spec = stand.spec(part);
  await booted(stand.engine, spec);
  return spec;
}

async function onlyServer(stand: EngineStand, spec: MachineSpec): Promise<void> {
  const { ip } = await booted(stand.engine, spec);
  await stand.engine.list(signal());
  await eventually(() => liveServersOf(stand, spec).length).toBe(1);
  expect(portsOf(stand, spec).map(({ address, device }) => [address, device])).toEqual([
    [ip, serverOf(stand, spec).id],
  ]);
}

const rows: readonly Row[] = [
  ...(["no-host", "exhausted", { message: "Quota exceeded for cores: Requested 2" }] as const).map(
    (spawn): Row => [
      `no host has room, found after the 202 (${typeof spawn === "string" ? spawn : "a quota"})`,
      "the start is refused for want of capacity, the server removed, and the port ready for another try",
      async (stand) => {
        const spec = await failing(stand, spawn);
        const refused = await failure(stand.engine.start(spec, signal()));
        expect(refused).toMatchObject({ kind: "refused", code: "no-capacity" });
        await eventually(() => liveServersOf(stand, spec)).toEqual([]);
        expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "halted" });
        await onlyServer(stand, spec);
        expect(serversOf(stand, spec)).toHaveLength(2);
      },
    ],
  ),
  [
    "a server fails otherwise before it has its secrets",
    "it is made again, as often as the boot's deadline admits, and the failure is no refusal",
    async (stand) => {
      const spec = await failing(stand, { message: "the disk is gone" });
      const failed = await failure(stand.engine.start(spec, signal()));
      expect(failed).toMatchObject({ kind: "unavailable", code: "server-failed" });
      stand.fake.faults.add("compute", "POST", servers, { spawn: { message: "the disk is gone again" } });
      await onlyServer(stand, spec);
      expect(serversOf(stand, spec)).toHaveLength(3);
    },
  ],
  [
    "a server that has its secrets fails",
    "it is kept: halted, and rebooted by a start",
    async (stand) => {
      const spec = await up(stand);
      const server = serverOf(stand, spec);
      stand.world.life.breakDown(server, "the host lost power", 4);
      expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "halted", mayComeBack: true });
      await onlyServer(stand, spec);
      expect(serverOf(stand, spec)).toBe(server);
    },
  ],
  [
    "a server in ERROR that runs",
    "counts as running, and is halted when told to",
    async (stand) => {
      const spec = await up(stand);
      stand.world.life.breakDown(serverOf(stand, spec), "a resize failed", 1);
      expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "running", usable: true });
      await stopped(stand.engine, spec);
    },
  ],
  [
    "a server that has its secrets is deleted by others",
    "it is gone, twice, and a start makes no other",
    async (stand) => {
      const spec = await up(stand);
      stand.world.life.removeNow(serverOf(stand, spec));
      for (let looks = 0; looks < 2; looks++)
        for (const engine of [stand.engine, stand.another()])
          expect(await engine.inspect(spec, signal())).toBeUndefined();
      expect((await stand.engine.list(signal())).machines).toEqual([]);
      expect(await failure(stand.engine.start(spec, signal()))).toMatchObject({ code: noSuchMachine });
      expect(liveServersOf(stand, spec)).toEqual([]);
      await stand.engine.remove(spec, signal());
      expect(portsOf(stand, spec)).toEqual([]);
    },
  ],
  [
    "a server without secrets is deleted by others",
    "the launch makes another, and never two",
    async (stand) => {
      const spec = stand.spec();
      await stand.engine.create(spec, signal());
      await stand.engine.start(spec, signal());
      await eventually(() => serverOf(stand, spec).status).toBe("ACTIVE");
      stand.world.life.removeNow(serverOf(stand, spec));
      await onlyServer(stand, spec);
    },
  ],
  [
    "Nova leaves a server out of its lists for a time",
    "it is not taken for gone",
    async (stand) => {
      const spec = await up(stand);
      const server = serverOf(stand, spec);
      const { tags } = server;
      server.tags = [];
      expect(await failure(stand.engine.inspect(spec, signal()))).toMatchObject({ kind: "unavailable" });
      server.tags = tags;
      await onlyServer(stand, spec);
    },
  ],
  [
    "two replicas create and start the same machine at once",
    "exactly one server in the end, with its port and its address",
    async (stand) => {
      const spec = stand.spec();
      const engines = [stand.engine, stand.another()];
      await Promise.allSettled(engines.map((engine) => engine.create(spec, signal())));
      await Promise.allSettled(engines.map((engine) => engine.start(spec, signal())));
      await Promise.all(engines.map((engine) => booted(engine, spec)));
      await onlyServer(stand, spec);
    },
  ],
  [
    "two replicas order a server on the same port at the same moment",
    "the one that lost its address is made again",
    async (stand) => {
      const spec = stand.spec();
      await stand.engine.create(spec, signal());
      stand.fake.faults.add("compute", "POST", servers, { hold: true }, 2);
      const engines = [stand.engine, stand.another()];
      // Neither sees the other's server.
      const both = Promise.withResolvers<void>();
      let arrived = 0;
      const then = () => {
        if (++arrived === 2) both.resolve();
        return both.promise;
      };
      stand.fake.faults.add("compute", "GET", /detail$/, { then }, 2);
      await Promise.allSettled(engines.map((engine) => engine.start(spec, signal())));
      stand.world.timers.release();
      expect(serversOf(stand, spec)).toHaveLength(2);
      await onlyServer(stand, spec);
    },
  ],
  [
    "a late duplicate of a server, from an order that was given up",
    "the next list deletes it, and keeps the one that has its secrets",
    async (stand) => {
      const spec = await up(stand);
      const server = serverOf(stand, spec);
      const { name, tags, project, user, flavor } = server;
      const order = { name, tags, project, user, flavor: { ...flavor, access: new Set<string>() } };
      const rest = { metadata: {}, ports: [], host: undefined };
      const late = stand.world.life.create({ ...order, ...rest }, { instantly: true });
      const { machines } = await stand.another().list(signal());
      expect(machines.map(({ id, power }) => [id, power])).toEqual([[spec.id, "running"]]);
      await eventually(() => late.status).toBe("DELETED");
      expect(server.status).toBe("ACTIVE");
    },
  ],
  [
    "a duplicate cannot be deleted (409)",
    "lists do not fail for it",
    async (stand) => {
      const spec = await up(stand);
      const { name, tags, project, user, flavor } = serverOf(stand, spec);
      const order = { name, tags, project, user, flavor: { ...flavor, access: new Set<string>() } };
      stand.world.life.create({ ...order, metadata: {}, ports: [], host: undefined }, { instantly: true });
      stand.fake.faults.add("compute", "DELETE", /servers/, { fail: { status: 409, message: "It is locked." } });
      expect((await stand.engine.list(signal())).machines).toHaveLength(1);
    },
  ],
  [
    "Nova reports a host down",
    "it has no room, its machines are unreachable and not gone, and come back with it",
    async (stand) => {
      const spec = await up(stand);
      const host = stand.world.hosts.hosts.get("gpu1") ?? expect.unreachable();
      host.down = true;
      const hosts = await stand.engine.hosts(signal());
      expect(hosts.map(({ name, available }) => [name, available])).toEqual([
        ["gpu1", false],
        ["gpu2", true],
      ]);
      expect((await stand.engine.list(signal())).unreachableHosts).toEqual(["gpu1"]);
      const unreachable = { kind: "unavailable", code: hostUnreachable };
      expect(await failure(stand.engine.inspect(spec, signal()))).toMatchObject(unreachable);
      host.down = false;
      expect(await stand.engine.inspect(spec, signal())).toMatchObject({ usable: true });
      host.down = true;
      await stand.engine.remove(spec, signal());
      expect(liveServersOf(stand, spec)).toEqual([]);
    },
  ],
  [
    "the operator migrates or evacuates a machine",
    "its report and its list name the new host, and it stays the same machine",
    async (stand) => {
      const spec = await up(stand);
      const server = serverOf(stand, spec);
      stand.world.life.put(server, "MIGRATING", 1);
      expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "running", host: "gpu1" });
      stand.world.life.move(server, "gpu2");
      stand.world.life.put(server, "ACTIVE", 1);
      expect(await stand.engine.inspect(spec, signal())).toMatchObject({ host: "gpu2", usable: true });
      expect((await stand.engine.list(signal())).machines).toMatchObject([{ id: spec.id, host: "gpu2" }]);
      await stopped(stand.engine, { ...spec, host: "gpu2" });
      await stand.engine.remove({ ...spec, host: "gpu2" }, signal());
      expect(liveServersOf(stand, spec)).toEqual([]);
    },
  ],
  ...(
    [
      ["pauses", "PAUSED", 3],
      ["suspends", "SUSPENDED", 4],
      ["shelves", "SHELVED", 4],
      ["shelves and offloads", "SHELVED_OFFLOADED", 4],
      ["halts", "SHUTOFF", 4],
    ] as const
  ).map(
    ([what, status, power]): Row => [
      `the operator ${what} a machine`,
      "it is halted and may come back, and a start wakes the same one",
      async (stand) => {
        const spec = await up(stand);
        const server = serverOf(stand, spec);
        stand.world.life.put(server, status, power);
        expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "halted", mayComeBack: true });
        await onlyServer(stand, spec);
        expect(serverOf(stand, spec)).toBe(server);
      },
    ],
  ),
  [
    "others remove the port of a machine that was created",
    "it is made again",
    async (stand) => {
      const spec = stand.spec();
      await stand.engine.create(spec, signal());
      for (const port of portsOf(stand, spec)) stand.world.networks.removePort(port);
      await onlyServer(stand, spec);
    },
  ],
  [
    "others remove the port while the server is built",
    "that is no lack of capacity: the machine is made again",
    async (stand) => {
      const spec = stand.spec();
      await stand.engine.create(spec, signal());
      stand.fake.faults.add("compute", "POST", servers, { hold: true });
      await stand.engine.start(spec, signal());
      for (const port of portsOf(stand, spec)) stand.world.networks.removePort(port);
      stand.world.timers.release();
      await onlyServer(stand, spec);
    },
  ],
  [
    "others remove the port of a machine that runs",
    "it runs on, another start gives it a new one, and its removal leaves nothing",
    async (stand) => {
      const spec = await up(stand);
      const server = serverOf(stand, spec);
      for (const port of portsOf(stand, spec)) stand.world.networks.removePort(port);
      server.ports = [];
      const late = stand.another();
      expect(await late.inspect(spec, signal())).toMatchObject({ power: "running", usable: false });
      const { ip } = await booted(late, spec);
      expect(portsOf(stand, spec).map(({ address, device }) => [address, device])).toEqual([[ip, server.id]]);
      await stand.engine.remove(spec, signal());
      expect(liveServersOf(stand, spec)).toEqual([]);
    },
  ],
  [
    "others remove the security group",
    "the next machine's is made again",
    async (stand) => {
      const first = stand.spec();
      await stand.engine.create(first, signal());
      await stand.engine.remove(first, signal());
      for (const id of groupsOf(stand)) stand.world.networks.groups.delete(id);
      await up(stand);
      expect(groupsOf(stand)).toHaveLength(1);
    },
  ],
  [
    "a network is removed and made again, with another id",
    "the next machine is on the new one",
    async (stand) => {
      const first = await up(stand);
      await stand.engine.remove(first, signal());
      const { networks } = stand.world;
      networks.networks.delete(stand.network.id);
      const network = networks.addNetwork("rent", stand.otherProject.id, "127.90", { shared: true });
      const spec = await up(stand);
      expect(portsOf(stand, spec).map((port) => port.network.id)).toEqual([network.id]);
    },
  ],
  [
    "an image is replaced by a new one of its name",
    "the next machine has the new one",
    async (stand) => {
      await up(stand);
      stand.image.name = "Debian 12, old";
      const { id } = stand.world.addImage("Debian 12", stand.otherProject);
      expect(serverOf(stand, await up(stand)).image).toBe(id);
    },
  ],
  [
    "an image is removed after the machine was created",
    "the start is refused, and makes no server",
    async (stand) => {
      const spec = stand.spec();
      await stand.engine.create(spec, signal());
      stand.world.images.clear();
      const refused = { kind: "refused", code: "image-missing" };
      expect(await failure(stand.engine.start(spec, signal()))).toMatchObject(refused);
      expect(serversOf(stand, spec)).toEqual([]);
    },
  ],
  [
    "a volume ends in error, however often it is made anew",
    "the launch does not go on, and no other volume hides it",
    async (stand) => {
      const fileSystem = { id: crypto.randomUUID(), name: "data", sizeGb: 10, mountPoint: "/data" };
      const spec = stand.spec({ guest: guestSpec({ fileSystems: [fileSystem] }) });
      stand.fake.faults.add("volume", "POST", /volumes$/, { spawn: "no-host" }, 3);
      await stand.engine.create(spec, signal());
      for (const ordered of [2, 3]) {
        await eventually(() => [...stand.world.volumes.values()].map(({ status }) => status)).toEqual(["error"]);
        const busy = { kind: "unavailable", code: "file-system-busy" };
        expect(await failure(stand.engine.start(spec, signal()))).toMatchObject(busy);
        expect(stand.fake.seen("volume", "POST", /volumes$/)).toHaveLength(ordered);
      }
      await eventually(() => [...stand.world.volumes.values()].map(({ status }) => status)).toEqual(["error"]);
      const failed = { kind: "unavailable", code: "file-system-failed" };
      expect(await failure(stand.engine.start(spec, signal()))).toMatchObject(failed);
      expect(await failure(stand.engine.create(spec, signal()))).toMatchObject(failed);
      expect(stand.world.volumes.size).toBe(1);
      await stand.engine.removeFileSystem({ id: fileSystem.id, host: undefined }, signal());
      await eventually(() => stand.world.volumes.size).toBe(0);
    },
  ],
];

it.each(rows)("%s: %s", async (_luck, _then, prove) => {
  await prove(await beginEngines());
});

it("others remove the port of a machine that runs: the next resync looks at it, and what is said names the way out", async () => {
  const stand = await beginEngines();
  const spec = await up(stand);
  const looked = async () => {
    const { machines } = await stand.engine.list(signal());
    return nextStep("active", listedStateOf(machines[0], true));
  };
  expect(await looked()).toBe("settle");
  for (const port of portsOf(stand, spec)) stand.world.networks.removePort(port);
  serverOf(stand, spec).ports = [];
  expect(await looked()).toBe("wait");
  const progress = "without a network port: a restart connects it";
  expect(await stand.engine.inspect(spec, signal())).toMatchObject({ progress });
  await stopped(stand.engine, spec);
  await booted(stand.engine, spec);
  expect(await looked()).toBe("settle");
});

it("others remove the security group of rules: changed rules make it again, and the port has it", async () => {
  const stand = await beginEngines({}, (settings) => ({ ...settings, managementNetworks: managed }));
  const inbound = [{ protocol: "tcp", ports: [22, 22], source: "0.0.0.0/0" }] as const;
  const spec = await up(stand, { inbound: [] });
  await stand.engine.setInbound?.(spec, inbound, signal());
  await stand.engine.setInbound?.(spec, [], signal());
  const { groups } = stand.world.networks;
  for (const id of groupsOf(stand))
    if (!portsOf(stand, spec).some((port) => port.groups.includes(id))) groups.delete(id);
  await stand.engine.setInbound?.(spec, inbound, signal());
  const [port] = portsOf(stand, spec);
  expect(groups.get(port?.groups[0] ?? "")?.rules.filter(({ direction }) => direction === "ingress")).toHaveLength(2);
});
