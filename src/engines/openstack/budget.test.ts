// How often the cloud's services are asked: a budget, which does not grow with servers or hosts but by pages of a thousand.

import { expect, it } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted } from "../../../test/support/fake-openstack/engines.ts";

it("a sync of the hosts takes six requests and a full resync three, with one machine as with eight", async () => {
  const { fake, engine, spec } = await beginEngines();
  const requestsOf = async (call: Promise<unknown>) => {
    const before = fake.requests.length;
    await call;
    return fake.requests.length - before;
  };
  // The first calls also sign in and read the versions of the services.
  await Promise.all([engine.hosts(signal()), engine.list(signal())]);
  for (let machines = 0; machines < 8; machines += 1) {
    await booted(engine, spec({ gpuAddresses: [`CUSTOM_GPU_H200/${machines}`] }));
    if (machines === 0 || machines === 7) {
      expect([await requestsOf(engine.hosts(signal())), await requestsOf(engine.list(signal()))]).toEqual([6, 3]);
    }
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
    expect(fake.requests.length - before).toBe(7);
  },
);
