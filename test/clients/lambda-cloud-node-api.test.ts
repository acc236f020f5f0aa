// A client that nobody here wrote: lambda-cloud-node-api (MIT, no dependencies), unmodified, against both editions that its
// family speaks: variant R at the root of its own port, and the lambda edition. Its bodies have the Content-Type text/plain,
// it decodes every answer but those to DELETE, and rejects with the whole body of an error.

import { type ErrorResponse, type Instance, LambdaCloudAPI } from "lambda-cloud-node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

let server: RunningServer;
const nobody = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";

beforeAll(async () => {
  server = await startServer();
  const put = (path: string, body: object) =>
    call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  await put("/regions/us-east-1", { description: "Virginia, USA" });
  await put("/images/ubuntu", { number: 1 });
  const size = { vcpus: 8, memory_gib: 64, storage_gb: 500 };
  const gpus = [{ address: "0000:01:00.0", model: "A10", memory_gib: 24 }];
  const gpu = { gpu_model: "A10", gpus: 1, price_cents_per_hour: 60, description: "1x A10 (24 GB PCIe)" };
  await put("/instance-types/gpu_1x_a10", { ...size, ...gpu });
  await put("/hosts/host-1", { ...size, engine: "simulated", region: "us-east-1", gpus });
});
afterAll(() => server?.close());

const editions = [
  ["variant R 1.0.3", () => server.referenceUrl, "ada"],
  ["the lambda edition", () => server.lambda, "bob"],
] as const;

describe.each(editions)("lambda-cloud-node-api against %s", (edition, base, account) => {
  const isLambda = edition === "the lambda edition";
  let client: LambdaCloudAPI;
  let token: string;

  beforeAll(async () => {
    token = await server.customerToken(account);
    client = new LambdaCloudAPI({ apiKey: token, basePath: base() });
  });

  const order = {
    region_name: "us-east-1",
    instance_type_name: "gpu_1x_a10",
    name: "training",
    ssh_key_names: ["laptop"] as [string],
  };

  /** What the client rejects with. */
  async function refusal(asked: Promise<unknown>): Promise<ErrorResponse> {
    return asked.then(
      (answer) => {
        throw new Error(`was answered: ${JSON.stringify(answer)}`);
      },
      (error: ErrorResponse) => error,
    );
  }

  /** As a user of it waits for a machine. */
  async function untilNot(status: string, id: string): Promise<Instance> {
    for (;;) {
      const instance = await client.getRunningInstance(id);
      if (instance.status !== status) return instance;
      await server.reconciler.idle();
    }
  }

  it("lists instance types with the regions that have capacity", async () => {
    const types = await client.listInstanceTypes();
    expect(types.gpu_1x_a10).toMatchObject({
      instance_type: {
        name: "gpu_1x_a10",
        description: "1x A10 (24 GB PCIe)",
        price_cents_per_hour: 60,
        specs: { vcpus: 8, memory_gib: 64, storage_gib: 465 },
      },
      regions_with_capacity_available: [{ name: "us-east-1", description: "Virginia, USA" }],
    });
  });

  it("adds a key, generates one with its private half, lists both, and deletes one", async () => {
    await client.addSSHKey({ name: "laptop", public_key: examplePublicKey });
    const answer: unknown = await client.addSSHKey({ name: "generated" });
    // The specification of R has a list of the one key there; the client expects the key, as the lambda edition answers.
    const generated = (isLambda ? answer : (answer as unknown[])[0]) as { id: string; private_key: string };
    expect(generated.private_key).toContain("BEGIN OPENSSH PRIVATE KEY");
    expect((await client.listSSHKeys()).map(({ name }) => name)).toEqual(["laptop", "generated"]);
    await client.deleteSSHKey(generated.id);
    expect(await client.listSSHKeys()).toMatchObject([{ name: "laptop", public_key: examplePublicKey }]);
  });

  it("looks at the answer to no deletion: that of a key which is not there is no error to it", async () => {
    expect(await client.deleteSSHKey(nobody)).toBeNull();
  });

  it("launches, lists, reads, restarts and terminates an instance", async () => {
    const { instance_ids: ids } = await client.launchInstance({ ...order, quantity: 1, file_system_names: [] });
    expect(ids).toHaveLength(1);
    const [id = ""] = ids;
    const up = await untilNot("booting", id);
    expect(up).toMatchObject({
      id,
      name: "training",
      status: "active",
      ip: expect.stringMatching(/^[\d.]+$/),
      region: { name: "us-east-1" },
      ssh_key_names: ["laptop"],
      file_system_names: [],
      hostname: expect.stringMatching(/./),
    });
    expect(await client.listRunningInstances()).toEqual([up]);
    // It has no call for a stop: another interface of the service has.
    await call("POST", `${server.marketplace}/instance-operations/stop`, { token, body: { instance_uuids: [id] } });
    await expect
      .poll(async () => (await client.getRunningInstance(id)).status)
      .toBe(isLambda ? "unhealthy" : "stopped");
    const { restarted_instances: restarted } = await client.restartInstances([id]);
    expect(restarted).toMatchObject([{ id, status: "booting" }]);
    expect(await untilNot("booting", id)).toMatchObject({ status: "active" });
    const { terminated_instances: gone } = await client.terminateInstances([id]);
    expect(gone).toMatchObject([{ id, status: isLambda ? "terminating" : "terminated" }]);
    expect((await untilNot("terminating", id)).status).toBe("terminated");
    await server.reconciler.idle();
  });

  it("sends `name: null` for no name, which the lambda edition takes, and R has as a text", async () => {
    const nameless = client.launchInstance({ ...order, name: null });
    if (!isLambda) {
      expect(await refusal(nameless)).toMatchObject({ field_errors: { name: {} } });
      return;
    }
    const { instance_ids: ids } = await nameless;
    expect((await client.getRunningInstance(ids[0] ?? "")).name).toMatch(/^gpu_1x_a10-/);
    await client.terminateInstances(ids);
    await server.reconciler.idle();
  });

  describe("rejects with a code that it knows, a message and a suggestion", () => {
    const words = { message: expect.stringMatching(/./), suggestion: expect.stringMatching(/./) };
    const withCode = (code: string) => ({ error: { code, ...words } });

    it("when there is no capacity", async () => {
      const refused = await refusal(client.launchInstance({ ...order, quantity: 2 }));
      expect(refused).toMatchObject(withCode("instance-operations/launch/insufficient-capacity"));
    });

    it("when a value is not valid, with the field", async () => {
      const refused = await refusal(client.launchInstance({ ...order, quantity: 0 }));
      expect(refused).toMatchObject({ ...withCode("global/invalid-parameters"), field_errors: { quantity: {} } });
    });

    it("when an instance is not there, or not stopped", async () => {
      const missing = withCode("global/object-does-not-exist");
      expect(await refusal(client.getRunningInstance(nobody))).toMatchObject(missing);
      expect(await refusal(client.terminateInstances([nobody]))).toMatchObject(missing);
      expect(await refusal(client.restartInstances([nobody]))).toMatchObject(missing);
    });

    it("when one id is given where a list belongs, which its types allow: nothing is terminated", async () => {
      expect(await refusal(client.terminateInstances(nobody))).toMatchObject(withCode("global/invalid-parameters"));
    });

    it("when the name of a key is taken", async () => {
      const refused = await refusal(client.addSSHKey({ name: "laptop", public_key: examplePublicKey }));
      expect(refused.error.message).toBe("Key name must be unique");
    });

    it("when its key is not valid", async () => {
      const stranger = new LambdaCloudAPI({ apiKey: "lessor_nobody", basePath: base() });
      expect(await refusal(stranger.listSSHKeys())).toMatchObject(withCode("global/invalid-api-key"));
    });
  });

  it("works with a token that is pinned to 1.0.3, and is then shown no field that it does not know", async () => {
    const owner = await server.customerToken(account, ["read", "write"]);
    const body = { name: "pinned", scopes: ["read", "write"], compatibility_version: "1.0.3" };
    const made = await call("POST", `${server.control}/tokens`, { token: owner, body });
    const { data } = made.body as { data: { token: string } };
    const pinned = new LambdaCloudAPI({ apiKey: data.token, basePath: base() });
    const { instance_ids: ids } = await pinned.launchInstance(order);
    const [instance] = (await pinned.listRunningInstances()).filter(({ id }) => ids.includes(id));
    expect(Object.keys(instance ?? {})).toContain("hostname");
    for (const name of ["private_ip", "jupyter_url", "actions"]) expect(instance).not.toHaveProperty(name);
    expect(await refusal(pinned.getRunningInstance(nobody))).toEqual({
      error: { code: "global/object-does-not-exist", message: expect.any(String), suggestion: expect.any(String) },
    });
    await pinned.terminateInstances(ids);
    await server.reconciler.idle();
  });
});
