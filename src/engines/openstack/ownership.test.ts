// What others have in the cloud is never ours. An administrator's credentials see what all projects have, by any name.

import { expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, portsOf, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import { digest, machineName, ownerTag } from "./labels.ts";

const owner = ownerTag("installation-1", "cloud");

it("an image that another project keeps for itself is not started, though it has the name", async () => {
  const stand = await beginEngines();
  stand.world.addImage("Debian 12", stand.otherProject, { visibility: "private" });
  const spec = stand.spec();
  await booted(stand.engine, spec);
  expect(serverOf(stand, spec).image).toBe(stand.image.id);
  stand.image.visibility = "private";
  const missing = { kind: "refused", code: "image-missing" };
  expect(await failure(stand.engine.create(stand.spec(), signal()))).toMatchObject(missing);
  const own = stand.world.addImage("Debian 12", stand.project, { visibility: "private" });
  const second = stand.spec();
  await booted(stand.engine, second);
  expect(serverOf(stand, second).image).toBe(own.id);
});

it("a network that another project keeps for itself is not used, though it has the name", async () => {
  const stand = await beginEngines();
  const { networks } = stand.world;
  networks.networks.delete(stand.network.id);
  networks.addNetwork("rent", stand.otherProject.id, "127.91");
  const missing = { kind: "refused", code: "no-network" };
  expect(await failure(stand.engine.create(stand.spec(), signal()))).toMatchObject(missing);
  networks.addNetwork("rent", stand.otherProject.id, "127.92", { shared: true });
  const own = networks.addNetwork("rent", stand.project.id, "127.93");
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  expect(portsOf(stand, spec)[0]?.network).toBe(own);
});

it("of several networks that other projects share none is used, and the project's own takes precedence", async () => {
  const stand = await beginEngines();
  const { networks } = stand.world;
  networks.addNetwork("rent", crypto.randomUUID(), "127.90", { shared: true });
  const unclear = { kind: "refused", code: "no-network", message: expect.stringContaining("several networks") };
  expect(await failure(stand.engine.create(stand.spec(), signal()))).toMatchObject(unclear);
  const own = networks.addNetwork("rent", stand.project.id, "127.91");
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  expect(portsOf(stand, spec)[0]?.network).toBe(own);
});

it("a floating address that the operator gave a machine stays when the machine is gone", async () => {
  const stand = await beginEngines({}, (settings) => ({
    ...settings,
    regions: settings.regions.map((region) => ({ ...region, floatingNetwork: "public" })),
  }));
  const spec = stand.spec();
  await booted(stand.engine, spec);
  const { networks } = stand.world;
  const theirs =
    networks.addFloating(stand.project.id, stand.floatingNetwork, "of the operator") ?? expect.unreachable();
  theirs.port = portsOf(stand, spec)[0];
  await stand.engine.remove(spec, signal());
  await stand.engine.list(signal());
  expect([...networks.floatings.values()]).toEqual([theirs]);
});

it("ports of another project are neither used nor listed nor removed, though they have our names and tags", async () => {
  const stand = await beginEngines();
  const spec = stand.spec();
  const { networks } = stand.world;
  const order = { project: stand.otherProject.id, network: stand.network, name: machineName(spec.id) };
  const theirs = networks.addPort(order) ?? expect.unreachable();
  theirs.tags.add(owner);
  theirs.device = "a server";
  expect((await stand.engine.list(signal())).machines).toEqual([]);
  expect(await stand.engine.inspect(spec, signal())).toBeUndefined();
  await booted(stand.engine, spec);
  await stand.engine.remove(spec, signal());
  expect([...networks.ports.values()]).toEqual([theirs]);
});

it("security groups of another project are not used, though they have our names", async () => {
  const stand = await beginEngines();
  const { networks } = stand.world;
  const everything = ["IPv4    0.0.0.0/0", "IPv6    ::/0"];
  const theirs = networks.addGroup(
    stand.otherProject.id,
    `lessor-${digest([owner, ...everything].join("\n"), 16)}`,
    owner,
  );
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  const [group = ""] = portsOf(stand, spec)[0]?.groups ?? [];
  expect(group).not.toBe(theirs.id);
  expect(networks.groups.get(group)).toMatchObject({ name: theirs.name, project: stand.project.id });
});

it("servers and ports of another installation are not listed, nor removed by the id of their machine", async () => {
  const stand = await beginEngines();
  const [spec, halted] = [stand.spec(), stand.spec()];
  await booted(stand.engine, spec);
  await stand.engine.create(halted, signal());
  const other = stand.another("installation-2");
  expect((await other.list(signal())).machines).toEqual([]);
  for (const one of [spec, halted]) {
    expect(await other.inspect(one, signal())).toBeUndefined();
    await other.remove(one, signal());
  }
  expect((await stand.engine.list(signal())).machines).toHaveLength(2);
  expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "running" });
});

it("a security group that the operator gave a machine stays when the machine is gone", async () => {
  const stand = await beginEngines({}, (settings) => ({ ...settings, managementNetworks: ["10.0.0.0/8"] }));
  const spec = stand.spec();
  await stand.engine.create(spec, signal());
  const group = stand.world.networks.addGroup(stand.project.id, "of the operator", "");
  portsOf(stand, spec)[0]?.groups.push(group.id);
  await stand.engine.remove(spec, signal());
  await stand.engine.list(signal());
  expect(stand.world.networks.groups.get(group.id)).toBe(group);
});
