import { describe, expect, it } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import type { FakeServer } from "../../../test/support/fake-openstack/servers.ts";
import { beginStand } from "../../../test/support/fake-openstack/stand.ts";
import { afterTest } from "../../../test/support/when-over.ts";
import { Seen } from "../readiness/cached-observation.ts";
import type { Server } from "./api.ts";
import { openCloud } from "./cloud.ts";
import { addressOf, powerOf, reportOf, wakeAction } from "./report.ts";

function server(status: string, power = 0, task: string | null = null): Server {
  return {
    ...{ id: "1", status, created: "2026-01-01T00:00:00Z", tags: [], metadata: {}, addresses: {}, host_status: "UP" },
    ...{ "OS-EXT-STS:power_state": power, "OS-EXT-STS:task_state": task, flavor: { vcpus: 1, ram: 1024, disk: 1 } },
  };
}

const statuses = {
  ACTIVE: "running",
  PASSWORD: "running",
  MIGRATING: "running",
  VERIFY_RESIZE: "running",
  SHUTOFF: "halted",
  PAUSED: "halted",
  SUSPENDED: "halted",
  SHELVED: "halted",
  SHELVED_OFFLOADED: "halted",
  ERROR: "halted",
  BUILD: "starting",
  REBOOT: "starting",
  HARD_REBOOT: "starting",
  REBUILD: "starting",
  RESIZE: "starting",
  RESCUE: "starting",
  UNKNOWN: "starting",
  "a status of later": "starting",
} as const;

describe("what a status means", () => {
  it.each(Object.entries(statuses))("%s: %s", (status, power) => {
    expect(powerOf(server(status))).toBe(power);
  });

  it("an ERROR runs where its hypervisor says so", () => {
    expect(powerOf(server("ERROR", 1))).toBe("running");
  });

  it("what is on its way up is not halted any more", () => {
    expect(powerOf(server("SHUTOFF", 4, "powering-on"))).toBe("starting");
  });
});

describe("what a broken cloud says", () => {
  const begin = async () => {
    const cloud = openCloud((await beginStand()).settings, "installation-1");
    afterTest(() => cloud.client.close());
    return { cloud, region: cloud.regions[0] ?? expect.unreachable() };
  };

  it("is no address, if a probe would look it up", async () => {
    const { region } = await begin();
    const at = (...all: string[]) => {
      const rent = all.map((addr) => ({ addr, version: 4, "OS-EXT-IPS:type": "fixed" }));
      return addressOf(region, { ...server("ACTIVE"), addresses: { rent } });
    };
    expect(at("cloud.invalid", "192.0.2.1\0", "")).toBeUndefined();
    expect(at("cloud.invalid", "192.0.2.1")).toBe("192.0.2.1");
  });

  it("is no progress that a customer reads", async () => {
    const { cloud, region } = await begin();
    const progress = (task: string) => reportOf(cloud, region, new Seen(), "1", server("BUILD", 0, task)).progress;
    expect(progress("block_device_mapping")).toBe("block device mapping");
    for (const odd of ["\0", "<script>", "\u001b[2J", "x".repeat(1000)]) expect(progress(odd)).toBe("starting");
  });
});

it.each([
  ["SHUTOFF", { "os-start": null }],
  ["PAUSED", { unpause: null }],
  ["SUSPENDED", { resume: null }],
  ["SHELVED", { unshelve: null }],
  ["SHELVED_OFFLOADED", { unshelve: null }],
  ["ERROR", { reboot: { type: "HARD" } }],
])("%s is woken by %j", (status, action) => {
  expect(wakeAction(server(status))).toEqual(action);
});

describe("the address of a machine", () => {
  const begin = async (floatingNetwork: string | undefined) => {
    const stand = await beginEngines({}, (settings) => ({
      ...settings,
      regions: settings.regions.map((region) => ({ ...region, floatingNetwork })),
    }));
    const spec = stand.spec();
    return { ...stand, spec, report: await booted(stand.engine, spec), server: serverOf(stand, spec) };
  };
  const fixed = ({ ports }: FakeServer) => ports[0]?.address;

  it("is that of its port", async () => {
    const { report, server: its } = await begin(undefined);
    expect(report.ip).toBe(fixed(its));
  });

  it("is its floating one where the settings want one, and that goes with it", async () => {
    const { report, server: its, engine, spec, world } = await begin("public");
    expect(report.ip).toMatch(/^127\.89\./);
    expect(report.ip).not.toBe(fixed(its));
    await engine.remove(spec, signal());
    expect([world.networks.floatings.size, world.networks.ports.size]).toEqual([0, 0]);
  });

  it("is given back by a start when others took it", async () => {
    const { report, engine, spec, world, another } = await begin("public");
    world.networks.floatings.clear();
    expect(await engine.inspect(spec, signal())).toMatchObject({ power: "running", usable: false });
    await engine.start(spec, signal());
    const { ip } = await booted(another(), spec);
    expect(ip).toMatch(/^127\.89\./);
    expect(ip).not.toBe(report.ip);
  });

  it("of a port that others removed is removed by the next list, and no other", async () => {
    const { engine, spec, world, project, floatingNetwork, server: its } = await begin("public");
    world.networks.addFloating(project.id, floatingNetwork, "of the operator");
    for (const port of its.ports) world.networks.removePort(port);
    await engine.list(signal());
    expect([...world.networks.floatings.values()].map(({ description }) => description)).toEqual(["of the operator"]);
    await engine.remove(spec, signal());
  });
});
