import { expect, it } from "vitest";
import { type Asked, askFake } from "./asking.ts";
import { beginStand } from "./stand.ts";

const body = (answer: Asked) => answer.body as Record<string, Record<string, unknown>>;

it("a server becomes active at the host with its port and its address, and takes room there", async () => {
  const cloud = await beginStand();
  const ask = await askFake(cloud);
  const { world, network, image } = cloud;
  const port = body(
    await ask("network", "POST", "/v2.0/ports", { port: { network_id: network.id, name: "lessor-1" } }),
  ).port;
  const flavor = world.addFlavor("one", { vcpus: 16, ram: 131_072, disk: 200 }, { "resources:CUSTOM_GPU_H200": "1" });
  const order = { name: "s", imageRef: image.id, flavorRef: flavor.id, networks: [{ port: port?.id }] };
  const made = await ask("compute", "POST", "/v2.1/servers", {
    server: { ...order, host: "gpu2", tags: ["lessor-1"] },
  });
  expect(made.status).toBe(202);
  const { id } = body(made).server as { id: string };
  expect(body(await ask("compute", "GET", `/v2.1/servers/${id}`)).server).toMatchObject({ status: "BUILD" });
  await expect
    .poll(async () => body(await ask("compute", "GET", `/v2.1/servers/${id}`)).server)
    .toMatchObject({
      status: "ACTIVE",
      "OS-EXT-SRV-ATTR:host": "gpu2",
      addresses: { rent: [{ addr: expect.stringMatching(/^127\.88\./) }] },
    });
  expect(body(await ask("network", "GET", `/v2.0/ports/${port?.id}`)).port).toMatchObject({ device_id: id });
  const provider = world.hosts.hosts.get("gpu2")?.id;
  const usages = await ask("placement", "GET", `/resource_providers/${provider}/usages`);
  expect(body(usages).usages).toMatchObject({ VCPU: 16, CUSTOM_GPU_H200: 1 });
});
