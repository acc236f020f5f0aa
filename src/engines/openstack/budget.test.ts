// How often the cloud's services are asked: a budget, which does not grow with servers or hosts but by pages. What
// it is in a cloud of 2,000 servers: bench/RESULTS.md, `openstack`.

import { expect, it } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, type EngineStand } from "../../../test/support/fake-openstack/engines.ts";

async function requestsOf({ fake }: EngineStand, call: Promise<unknown>): Promise<number> {
  const before = fake.requests.length;
  await call;
  return fake.requests.length - before;
}

/** A sync of the hosts, and a full resync. The first calls also sign in and read the versions of the services. */
async function costs(stand: EngineStand): Promise<number[]> {
  const { engine } = stand;
  await Promise.all([engine.hosts(signal()), engine.list(signal())]);
  return [await requestsOf(stand, engine.hosts(signal())), await requestsOf(stand, engine.list(signal()))];
}

it("a sync of the hosts takes five requests and a full resync four, with one machine as with eight", async () => {
  const stand = await beginEngines();
  for (let machines = 0; machines < 8; machines += 1) {
    await booted(stand.engine, stand.spec({ gpuAddresses: [`CUSTOM_GPU_H200/${machines}`] }));
    if (machines === 0 || machines === 7) expect(await costs(stand)).toEqual([5, 4]);
  }
});

it.each(["class", "pci"] as const)(
  "hosts that are full take one request more, and none for each (%s)",
  async (form) => {
    const { fake, engine, world } = await beginEngines({ form });
    await engine.hosts(signal());
    for (const { inventory } of world.hosts.hosts.values()) {
      const vcpus = inventory.get("VCPU") ?? expect.unreachable();
      vcpus.reserved = vcpus.total;
    }
    const before = fake.requests.length;
    expect((await engine.hosts(signal())).map(({ vcpus, gpus }) => [vcpus, gpus.length])).toEqual([
      [0, 8],
      [0, 8],
    ]);
    expect(fake.requests.length - before).toBe(6);
  },
);

it("servers are listed in full once, and then what has changed", async () => {
  const stand = await beginEngines();
  await stand.engine.list(signal());
  const before = stand.fake.requests.length;
  await stand.engine.hosts(signal());
  await stand.engine.list(signal());
  const lists = stand.fake.requests.slice(before).filter(({ path }) => path.endsWith("/servers/detail"));
  expect(lists.map(({ query }) => query.has("changes-since"))).toEqual([true, true, true]);
});

it("Nova is not made to ask its hosts, one after the other, how long they have been up", async () => {
  const stand = await beginEngines();
  await stand.engine.hosts(signal());
  const [seen] = stand.fake.seen("compute", "GET", /os-hypervisors/);
  expect(seen?.headers["openstack-api-version"]).toBe("compute 2.74");
});
