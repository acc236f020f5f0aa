import { expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, portsOf } from "../../../test/support/fake-openstack/engines.ts";
import type { Stand } from "../../../test/support/fake-openstack/stand.ts";
import { machineName, ownerTag } from "./labels.ts";
import type { CloudRegion } from "./settings/settings.ts";

const begin = (change: (stand: Stand) => Partial<CloudRegion>) =>
  beginEngines({}, (settings, stand) => ({
    ...settings,
    regions: settings.regions.map((region) => ({ ...region, ...change(stand) })),
  }));

it("the settings may name a network by its id, also one of another project", async () => {
  const stand = await begin(({ world, otherProject }) => ({
    network: world.networks.addNetwork("theirs", otherProject.id, "127.94").id,
  }));
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  expect(portsOf(stand, spec)[0]?.network.name).toBe("theirs");
});

it.each([{ network: "none" }, { floatingNetwork: "none" }])("%j that does not exist is refused", async (region) => {
  const stand = await begin(() => region);
  const refused = { kind: "refused", code: "no-network" };
  expect(await failure(stand.engine.create(stand.spec(), signal()))).toMatchObject(refused);
});

it("a port shows whose it is, the host, and whether its server was made", async () => {
  const stand = await begin(() => ({}));
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  const [port] = portsOf(stand, spec);
  const owner = ownerTag("installation-1", "cloud");
  expect(port).toMatchObject({
    name: machineName(spec.id),
    description: expect.stringMatching(/^gpu1 lessor-i-[0-9a-f]{32}$/),
  });
  expect([...(port?.tags ?? [])]).toEqual([owner]);
  await booted(stand.engine, spec);
  expect([...(port?.tags ?? [])]).toEqual([owner, "lessor-made"]);
});

it.each([
  ["the port", /ports$/],
  ["its floating address", /floatingips$/],
  ["its tag", /tags/],
])("a create that is interrupted after %s is completed before a server is made", async (_what, path) => {
  const stand = await begin(() => ({ floatingNetwork: "public" }));
  for (const method of ["POST", "PUT"]) stand.fake.faults.add("network", method, path, { drop: "after" });
  const spec = stand.spec();
  expect(await failure(stand.engine.create(spec, signal()))).toMatchObject({ kind: "unavailable" });
  stand.fake.faults.clear();
  const { ip } = await booted(stand.engine, spec);
  expect(ip).toMatch(/^127\.89\./);
  expect([portsOf(stand, spec).length, stand.world.networks.floatings.size]).toEqual([1, 1]);
});

it("ports that creates at once have made are one in the end", async () => {
  const stand = await begin(() => ({}));
  const spec = stand.spec();
  const engines = [stand.engine, stand.another(), stand.another()];
  await Promise.allSettled(engines.map((engine) => engine.create(spec, signal())));
  await booted(stand.engine, spec);
  expect(portsOf(stand, spec)).toHaveLength(1);
});
