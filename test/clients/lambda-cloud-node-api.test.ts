// A client that nobody here wrote: lambda-cloud-node-api, unmodified, against variant R at the root of its own port.

import { LambdaCloudAPI } from "lambda-cloud-node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

let server: RunningServer;
let client: LambdaCloudAPI;

beforeAll(async () => {
  server = await startServer();
  const put = (path: string, body: object) =>
    call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  await put("/regions/us-east-1", { description: "Virginia, USA" });
  await put("/images/ubuntu", { number: 1 });
  const size = { vcpus: 8, memory_gib: 64, storage_gb: 500 };
  const gpus = [{ address: "0000:01:00.0", model: "A10", memory_gib: 24 }];
  await put("/instance-types/gpu_1x_a10", { ...size, gpu_model: "A10", gpus: 1, price_cents_per_hour: 60 });
  await put("/hosts/host-1", { ...size, engine: "simulated", region: "us-east-1", gpus });
  client = new LambdaCloudAPI({ apiKey: await server.customerToken("ada"), basePath: server.referenceUrl });
});
afterAll(() => server?.close());

describe("lambda-cloud-node-api", () => {
  it("lists instance types with the regions that have capacity", async () => {
    const types = await client.listInstanceTypes();
    expect(types.gpu_1x_a10).toMatchObject({
      instance_type: {
        name: "gpu_1x_a10",
        price_cents_per_hour: 60,
        specs: { vcpus: 8, memory_gib: 64, storage_gib: 500 },
      },
      regions_with_capacity_available: [{ name: "us-east-1", description: "Virginia, USA" }],
    });
  });

  it("adds a key, and generates one", async () => {
    await client.addSSHKey({ name: "laptop", public_key: examplePublicKey });
    const generated = JSON.stringify(await client.addSSHKey({ name: "generated" }));
    expect(generated).toContain("BEGIN OPENSSH PRIVATE KEY");
    const keys = await client.listSSHKeys();
    expect(keys.map(({ name }) => name)).toEqual(["laptop", "generated"]);
  });

  it("launches, lists, reads and terminates an instance", async () => {
    const order = { region_name: "us-east-1", instance_type_name: "gpu_1x_a10", name: "training", quantity: 1 };
    const { instance_ids: ids } = await client.launchInstance({
      ...order,
      ssh_key_names: ["laptop"],
      file_system_names: [],
    });
    expect(ids).toHaveLength(1);
    const [id = ""] = ids;
    while ((await client.getRunningInstance(id)).status !== "active") await server.fulfilment.idle();
    const [listed] = await client.listRunningInstances();
    expect(listed).toMatchObject({ id, name: "training", status: "active", region: { name: "us-east-1" } });
    expect(await client.getRunningInstance(id)).toEqual(listed);
    const { terminated_instances: gone } = await client.terminateInstances([id]);
    expect(gone).toMatchObject([{ id, status: "terminated" }]);
  });

  it("is told when there is no capacity, in the words it knows", async () => {
    const order = { region_name: "us-east-1", instance_type_name: "gpu_1x_a10", quantity: 2, name: null };
    const refusal = await client
      .launchInstance({ ...order, name: "two", ssh_key_names: ["laptop"] })
      .catch((error) => error);
    expect(JSON.stringify(refusal)).toContain("instance-operations/launch/insufficient-capacity");
  });
});
