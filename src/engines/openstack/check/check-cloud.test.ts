import { beforeEach, describe, expect, it } from "vitest";
import { faultsIn, lines } from "../../../../test/support/check-stand.ts";
import {
  beginCloudCheckStand,
  type CloudChange,
  type CloudCheckStand,
} from "../../../../test/support/cloud-check-stand.ts";
import type { CheckOptions } from "../../check/options.ts";
import { checkCloud } from "./check-cloud.ts";

let stand: CloudCheckStand;
beforeEach(async () => {
  stand = await beginCloudCheckStand();
});

const probe = { image: undefined, deadlineSeconds: 10 };
const check = (change: CloudChange = {}, options: Partial<CheckOptions> = {}) =>
  lines(
    checkCloud(
      stand.settings(change),
      { probe: undefined, path: "", onProgress: () => {}, ...options },
      AbortSignal.timeout(20_000),
    ),
  );
const servers = () => [...stand.stand.world.servers.values()];

describe("the check of a cloud", () => {
  it("of a fit one finds nothing wrong, and without probe changes nothing", async () => {
    const told = await check();
    expect(faultsIn(told)).toEqual([]);
    for (const what of [
      "Keystone",
      "compute service",
      "network service",
      "image service",
      "placement service",
      "volume service",
      "network rent",
      "image debian-12",
      "flavors",
      "gpu1",
      "gpu2",
      "quotas",
      "SSH probe",
    ]) {
      expect(told).toContainEqual(expect.stringMatching(`^ok ${what}: `));
    }
    const changes = stand.stand.fake.requests.filter(
      ({ method, service }) => method !== "GET" && service !== "identity",
    );
    expect(changes).toEqual([]);
  });

  it("makes a test instance, reaches it, and removes it with its port", async () => {
    const told = await check({}, { probe });
    expect(faultsIn(told)).toEqual([]);
    expect(told).toContainEqual(expect.stringMatching(/^ok probe on gpu1: created in .* ready after another/));
    expect(told).toContainEqual(expect.stringMatching(/^ok probe on gpu1: removed in/));
    expect(servers().map(({ status }) => status)).toEqual(["DELETED"]);
    expect([...stand.stand.world.networks.ports.values()]).toEqual([]);
  });

  it("makes it in a flavor of the operator where flavors are mapped", async () => {
    stand.stand.world.addFlavor("small", { vcpus: 2, ram: 4096, disk: 20 });
    stand.stand.world.addFlavor("gpu", { vcpus: 1, ram: 1024, disk: 20 }, { "resources:CUSTOM_GPU_H200": "1" });
    const told = await check({ settings: { flavors: "mapped" } }, { probe });
    expect(told).toContainEqual(expect.stringMatching(/^ok probe on gpu1: created/));
    expect(servers().map(({ flavor }) => flavor.name)).toEqual(["small"]);
  });

  it("says what a failed test instance needs", async () => {
    stand.stand.fake.faults.add("compute", "POST", /\/servers$/, { spawn: "no-host" }, Infinity);
    expect(faultsIn(await check({}, { probe }))).toContainEqual(
      expect.stringMatching(
        /^problem probe on gpu1: .* -> free capacity, raise quotas, or read the log of nova-scheduler$/,
      ),
    );
    expect([...stand.stand.world.networks.ports.values()]).toEqual([]);
  });

  it("says that a guest which tells nothing may not reach the metadata service, and removes it", async () => {
    stand.stand.world.guestAnswers = () => false;
    const told = await check({}, { probe: { ...probe, deadlineSeconds: 4 } });
    expect(faultsIn(told)).toEqual([
      expect.stringMatching(/^problem probe on gpu1: not ready within 4 s: .*metadata service .*floating_network/),
    ]);
    expect(servers().map(({ status }) => status)).toEqual(["DELETED"]);
  });

  it("makes none where nothing could come of it, and says so", async () => {
    const told = await check({ region: { network: "nope" } }, { probe });
    expect(faultsIn(told)).toEqual([
      expect.stringMatching(/^problem network nope: does not exist.*, which sees .*rent/),
      "warning probe: no test instance was created, because of the problems above -> fix them, then run the check again",
    ]);
    expect(servers()).toEqual([]);
  });

  it("finds a host that two regions have", async () => {
    const south = await stand.stand.fake.addRegion("RegionTwo");
    const { regions } = stand.settings();
    const both = ["RegionOne", "RegionTwo"].flatMap((cloudRegion) =>
      regions.map((one) => ({ ...one, region: cloudRegion.toLowerCase(), cloudRegion })),
    );
    south.hosts.add("gpu3");
    const named = /^problem hosts: .* both have a host gpu1 -> make each region an engine of its own/;
    expect(await check({ settings: { regions: both } })).not.toContainEqual(expect.stringMatching(named));
    south.hosts.add("gpu1");
    expect(await check({ settings: { regions: both } })).toContainEqual(expect.stringMatching(named));
  });

  it("goes on after a step that cannot be carried out", async () => {
    stand.refuse("compute", /\/os-services/, 500, "broken");
    const told = await check();
    expect(faultsIn(told)).toContainEqual(
      expect.stringMatching(/^problem hosts: could not be checked: broken -> read the log/),
    );
    expect(told.at(-1)).toMatch(/^ok SSH probe/);
  });

  it("tells of a region that the catalog lacks once for each service", async () => {
    const faults = faultsIn(await check({ region: { cloudRegion: "RegionTwo" } }));
    expect(faults.map((fault) => fault.split(":")[0])).toEqual(
      ["compute", "network", "image", "placement", "volume"].map((service) => expect.stringContaining(service)),
    );
  });

  it("names the availability zones where none of the settings has a host, and says nothing of its GPUs", async () => {
    expect(faultsIn(await check({ region: { availabilityZone: "none" } }))).toEqual([
      expect.stringMatching(
        /^problem hosts: no compute host .*; availability zones with hosts: .+ -> correct availability_zone/,
      ),
    ]);
  });

  it("warns of a cloud without serial consoles", async () => {
    const fail = { status: 400, message: "Unavailable console type serial" };
    stand.stand.fake.faults.add("compute", "POST", /remote-consoles/, { fail }, Infinity);
    expect(faultsIn(await check({}, { probe }))).toEqual([
      expect.stringMatching(/^warning terminals: The cloud has no serial consoles .*customers have none -> set /),
    ]);
  });

  it("ends with Keystone where it does not respond, or does not take the credentials", async () => {
    stand.refuse("identity", /./, 500);
    stand.stand.credential.secret = "another";
    expect(await check()).toEqual([
      expect.stringMatching(/^problem Keystone: .* -> correct the entry in clouds.yaml; an application credential may/),
    ]);
    await stand.stand.fake.stop("identity");
    expect(await check()).toEqual([
      expect.stringMatching(/^problem Keystone: .*does not respond.* -> check auth_url and cacert/),
    ]);
  });
});
