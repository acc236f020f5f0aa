// One engine on two regions of a cloud, each with services, hosts and networks of its own, behind one Keystone.

import { expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, stopped } from "../../../test/support/fake-openstack/engines.ts";
import { openCloud, type Region, readRegions } from "./cloud.ts";
import type { OpenStackSettings } from "./settings/settings.ts";

const twoRegions = (settings: OpenStackSettings): OpenStackSettings => ({
  ...settings,
  regions: settings.regions.flatMap((region) => [
    { ...region, cloudRegion: "RegionOne" },
    { ...region, region: "south", cloudRegion: "RegionTwo" },
  ]),
});

async function begin() {
  const stand = await beginEngines({}, twoRegions);
  const south = await stand.fake.addRegion("RegionTwo");
  south.hosts.add("gpu3");
  south.networks.addNetwork("rent", stand.otherProject.id, "127.88", { shared: true });
  south.addImage("Debian 12", stand.otherProject);
  south.guestAnswers = () => false;
  return { ...stand, south, settings: twoRegions(stand.settings) };
}

it("a machine is made in the region of its host, and found there by a process that knows no hosts yet", async () => {
  const stand = await begin();
  const spec = stand.spec({ host: "gpu3" });
  await stand.engine.create(spec, signal());
  await stand.engine.start(spec, signal());
  expect([stand.world.servers.size, stand.south.servers.size]).toEqual([0, 1]);
  const late = stand.another();
  expect(await late.inspect(spec, signal())).toMatchObject({ host: "gpu3" });
  expect((await late.list(signal())).machines.map(({ id }) => id)).toEqual([spec.id]);
  await late.remove(spec, signal());
  expect(stand.south.networks.ports.size).toBe(0);
});

it("hosts are those of all regions", async () => {
  const { engine } = await begin();
  expect((await engine.hosts(signal())).map(({ name, region }) => [name, region])).toEqual([
    ["gpu1", "north"],
    ["gpu2", "north"],
    ["gpu3", "south"],
  ]);
});

it("while one region does not respond its machines are not gone, and those of the other go on", async () => {
  const { engine, spec, fake, another, ...stand } = await begin();
  const [north, south] = [spec(), spec({ host: "gpu3" })];
  for (const one of [north, south]) await engine.create(one, signal());
  await fake.stop("compute", "RegionTwo");
  const unreachable = { kind: "unavailable", code: "engine-unreachable" };
  await booted(engine, north);
  await stopped(engine, north);
  expect(await failure(engine.inspect(south, signal()))).toMatchObject(unreachable);
  // A process that does not know yet where it is asks both.
  expect(await failure(another().inspect(south, signal()))).toMatchObject(unreachable);
  expect(await engine.list(signal())).toMatchObject({ machines: [{ id: north.id }], unreachableHosts: ["gpu3"] });
  expect((await engine.hosts(signal())).map(({ name }) => name)).toEqual(["gpu1", "gpu2"]);
  await fake.stop("compute", "RegionOne");
  expect(await failure(engine.list(signal()))).toMatchObject(unreachable);
  await fake.begin("compute", "RegionOne");
  await fake.begin("compute", "RegionTwo");
  expect((await engine.list(signal())).machines.map(({ id }) => id).sort()).toEqual([north.id, south.id].sort());
  expect(stand.south.networks.ports.size).toBe(1);
});

it("a region that refuses the credentials is no outage of it: nothing is listed", async () => {
  const { engine, fake } = await begin();
  fake.faults.add("compute", "GET", /detail$/, { fail: { status: 403 } });
  expect(await failure(engine.list(signal()))).toMatchObject({ kind: "unavailable", code: "not-allowed" });
});

it("a machine on a host that is not known yet is not refused while a region does not respond", async () => {
  const { another, spec, fake } = await begin();
  await fake.stop("placement", "RegionTwo");
  const waiting = another().create(spec({ host: "gpu3" }), signal());
  expect(await failure(waiting)).toMatchObject({ kind: "unavailable", code: "engine-unreachable" });
  await another().create(spec({ host: "gpu1" }), signal());
});

it("two regions with a host of one name are no engine: machines would be looked for in the wrong one", async () => {
  const { engine, spec, south } = await begin();
  const machine = spec();
  await engine.create(machine, signal());
  south.hosts.add("gpu1");
  const wrong = { kind: "unavailable", code: "engine-misconfigured" };
  const error = await failure(engine.hosts(signal()));
  expect(error).toMatchObject({ ...wrong, cause: { message: expect.stringMatching(/north and south .* gpu1\./) } });
  expect(await engine.inspect(machine, signal())).toMatchObject({ host: "gpu1", power: "halted" });
});

it("regions are read at once, and one that hangs is silent after its own time", async () => {
  const { settings, fake } = await begin();
  const cloud = openCloud(settings, "installation-1");
  const begun: string[] = [];
  const read = async ({ settings: { region } }: Region, within: AbortSignal) => {
    begun.push(region);
    if (region === "south") return region;
    // Until its time is over.
    await cloud.client.call({ service: "compute", region: "RegionOne" }, "/servers/detail", {}, within);
    return region;
  };
  fake.faults.add("compute", "GET", /detail$/, { silence: true });
  const { answers, silent } = await readRegions(cloud, read, signal(), 300);
  expect(begun).toEqual(["north", "south"]);
  expect(answers).toEqual(["south"]);
  expect(silent).toMatchObject([{ region: { settings: { region: "north" } }, error: { name: "NoAnswer" } }]);
  await cloud.client.close();
});

it("what the caller gives up is given up in all regions, and is no silence of theirs", async () => {
  const { settings } = await begin();
  const cloud = openCloud(settings, "installation-1");
  const caller = new AbortController();
  const read = (_region: Region, within: AbortSignal) =>
    new Promise<never>((_resolve, reject) => within.addEventListener("abort", () => reject(within.reason)));
  const reading = readRegions(cloud, read, caller.signal);
  caller.abort(new Error("stopped"));
  expect(await failure(reading)).toMatchObject({ message: "stopped" });
  await cloud.client.close();
});

it("a process that begins while one region does not respond works with the hosts of the other", async () => {
  const { another, spec, fake, south } = await begin();
  await fake.stop("compute", "RegionOne");
  const engine = another();
  expect((await engine.hosts(signal())).map(({ name }) => name)).toEqual(["gpu3"]);
  await engine.create(spec({ host: "gpu3" }), signal());
  expect(south.networks.ports.size).toBe(1);
});
