// What clients of the lambda family send and need, each as it was seen in one: SkyPilot, dstack, gpuhunt, NVIDIA Brev,
// Terraform providers, command lines and SDKs. One test for one behavior, with its reason.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

let server: RunningServer;
let token: string;
const nobody = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";

beforeAll(async () => {
  server = await startServer();
  const put = async (path: string, body: object) => {
    const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
    expect(status, text).toBe(200);
  };
  await put("/regions/us-east-1", { description: "Virginia, USA" });
  await put("/images/ubuntu", { number: 1 });
  const gpu = { gpu_model: "A10", gpu_description: "A10 (24 GB PCIe)", gpus: 1 };
  const size = { vcpus: 30, memory_gib: 200, storage_gb: 1400 };
  await put("/instance-types/gpu_1x_a10", {
    ...gpu,
    ...size,
    description: "1x A10 (24 GB PCIe)",
    price_cents_per_hour: 75,
  });
  await put("/instance-types/gpu_8x_a10", { ...gpu, ...size, gpus: 8, price_cents_per_hour: 600 });
  const gpus = [1, 2, 3, 4].map((at) => ({ address: `0000:0${at}:00.0`, model: "A10", memory_gib: 24 }));
  const host = { engine: "simulated", region: "us-east-1", vcpus: 400, memory_gib: 4000, storage_gb: 40_000, gpus };
  await put("/hosts/host-1", host);
  token = await server.customerToken("ada");
  await ask("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
});
afterAll(() => server?.close());

type Json = Record<string, unknown>;

/** As most clients ask. */
async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await call(method, `${server.lambda}${path}`, { token, body, headers });
  const { data, error } = (answer.body ?? {}) as { data: Json; error: Record<string, string> };
  return { status: answer.status, text: answer.text, headers: answer.headers, data, error };
}

/** As clients that write every byte themselves. */
async function exactly(path: string, init: RequestInit) {
  const response = await fetch(`${server.lambda}${path}`, init);
  return { status: response.status, body: (await response.json()) as { data: Json; error: Json } };
}

const order = { region_name: "us-east-1", instance_type_name: "gpu_1x_a10", ssh_key_names: ["laptop"] };

async function launched(more: object = {}): Promise<string> {
  const { status, text, data } = await ask("POST", "/instance-operations/launch", { ...order, ...more });
  expect(status, text).toBe(200);
  const [id] = data.instance_ids as string[];
  return id ?? "";
}

async function read(id: string): Promise<Json> {
  const { status, text, data } = await ask("GET", `/instances/${id}`);
  expect(status, text).toBe(200);
  return data;
}

async function active(more: object = {}): Promise<string> {
  const id = await launched(more);
  await expect.poll(async () => (await read(id)).status, { interval: 20 }).toBe("active");
  return id;
}

const terminate = (ids: readonly string[]) => ask("POST", "/instance-operations/terminate", { instance_ids: ids });

describe("who asks", () => {
  const credentials = {
    "as bearer, as most do": () => `Bearer ${token}`,
    "as user name of Basic with an empty password, as curl -u does": () => `Basic ${btoa(`${token}:`)}`,
    "the same without padding": () => `Basic ${btoa(`${token}:`).replaceAll("=", "")}`,
    "with the colon after the base64, as that family's documentation writes it": () => `Basic ${btoa(token)}:`,
    "as Basic without base64, which it writes too": () => `Basic ${token}`,
  };
  it.each(Object.entries(credentials))("is known by a token %s", async (_, authorization) => {
    for (let again = 0; again < 2; again++) {
      const { status } = await exactly("/instances", { headers: { authorization: authorization() } });
      expect(status).toBe(200);
    }
  });

  it("without a valid token gets 401 with a code and a suggestion, which clients read without looking", async () => {
    for (const headers of [{}, { authorization: "Bearer lessor_nobody" }, { authorization: "Basic bm9ib2R5Og==" }]) {
      const { status, body } = await exactly("/instances", { headers });
      expect(status).toBe(401);
      expect(body.error).toMatchObject({
        code: "global/invalid-api-key",
        message: expect.stringMatching(/./),
        suggestion: expect.stringMatching(/./),
      });
    }
  });
});

describe("a request", () => {
  it.each([undefined, "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application/json"])(
    "is read as JSON when its Content-Type is %s: SkyPilot sends none, others the one of their library",
    async (type) => {
      const body = new Blob([JSON.stringify({ ...order, instance_type_name: "none" })]);
      const headers = { authorization: `Bearer ${token}`, ...(type !== undefined && { "content-type": type }) };
      const answer = await exactly("/instance-operations/launch", { method: "POST", headers, body });
      expect([answer.status, answer.body.error.code]).toEqual([400, "global/object-does-not-exist"]);
    },
  );

  it("may have two slashes where one belongs: a base address that ends in one", async () => {
    const { origin, pathname } = new URL(server.lambda);
    const headers = { authorization: `Bearer ${token}` };
    for (const path of [`${pathname}//instances`, `/${pathname}/instances`]) {
      expect((await fetch(`${origin}${path}`, { headers, redirect: "manual" })).status, path).toBe(200);
    }
  });

  it("that deletes may have a body, or a Content-Type and none", async () => {
    const made = await ask("POST", "/ssh-keys", { name: "for a while" });
    const json = { "content-type": "application/json" };
    const gone = await ask("DELETE", `/ssh-keys/${made.data.id}`, { anything: 1 }, json);
    expect([gone.status, gone.text]).toEqual([200, '{"data":{}}']);
    const other = await ask("POST", "/ssh-keys", { name: "for a while" });
    expect((await ask("DELETE", `/ssh-keys/${other.data.id}`, undefined, json)).status).toBe(200);
  });

  it("that cannot be answered is told so in JSON, whatever it is: clients decode before they look", async () => {
    for (const [method, path] of [
      ["GET", "/nothing"],
      ["PUT", "/instances"],
      ["GET", `/instances/${nobody}`],
      ["GET", "/instances?limit=x"],
    ] as const) {
      const { headers, error } = await ask(method, path);
      expect(headers.get("content-type"), path).toMatch(/^application\/json/);
      expect(error, path).toMatchObject({ code: expect.any(String), suggestion: expect.stringMatching(/./) });
    }
  });
});

describe("instance types", () => {
  it("have whole numbers and exactly these fields: clients of typed languages refuse others", async () => {
    const { data, text } = await ask("GET", "/instance-types");
    expect(data.gpu_1x_a10).toEqual({
      instance_type: {
        name: "gpu_1x_a10",
        description: "1x A10 (24 GB PCIe)",
        gpu_description: "A10 (24 GB PCIe)",
        architecture: "x86_64",
        price_cents_per_hour: 75,
        specs: { vcpus: 30, memory_gib: 200, storage_gib: 1303, gpus: 1 },
      },
      regions_with_capacity_available: [{ name: "us-east-1", description: "Virginia, USA" }],
    });
    expect(text).not.toMatch(/\d\.\d/);
  });

  it("can be read from name and description, as SkyPilot, gpuhunt and Brev read them", async () => {
    const { data } = await ask("GET", "/instance-types");
    const { instance_type: type } = data.gpu_1x_a10 as { instance_type: { name: string; description: string } };
    expect(type.name.split("_").slice(1)).toEqual(["1x", "a10"]);
    expect(/^(\d)x (?:Tesla )?(.+) \((\d+) GB/.exec(type.description)?.slice(1)).toEqual(["1", "A10", "24"]);
  });

  it("that fit nowhere are listed without regions, so that nobody tries to launch them", async () => {
    const { data } = await ask("GET", "/instance-types");
    expect(data.gpu_8x_a10).toMatchObject({ regions_with_capacity_available: [] });
  });

  it("and regions are lists of name and description", async () => {
    expect((await ask("GET", "/regions")).data).toEqual([{ name: "us-east-1", description: "Virginia, USA" }]);
  });
});

describe("an instance", () => {
  const always = [
    "id",
    "name",
    "status",
    "ssh_key_names",
    "file_system_names",
    "region",
    "instance_type",
    "hostname",
    "jupyter_token",
    "jupyter_url",
    "is_reserved",
    "actions",
  ];

  it("is there right after its launch, and without an address while it boots: never null, never empty", async () => {
    const reply = await ask("POST", "/instance-operations/launch", { ...order, name: null, file_system_names: null });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.data.instance_ids).toHaveLength(1);
    const [id = ""] = reply.data.instance_ids as string[];
    for (;;) {
      const { status, data, text } = await ask("GET", `/instances/${id}`);
      expect(status).toBe(200);
      expect(Object.keys(data), text).toEqual(expect.arrayContaining(always));
      expect(text).not.toMatch(/null/);
      if (data.status === "active") break;
      expect(data.status).toBe("booting");
      expect([data.ip, data.private_ip]).not.toContain("");
    }
    expect(await read(id)).toMatchObject({ ip: expect.stringMatching(/./), private_ip: expect.stringMatching(/./) });
    await terminate([id]);
  });

  it("keeps its address while it is removed: dstack reads it whenever it is not booting", async () => {
    const id = await active();
    const { ip } = await read(id);
    const { data } = await terminate([id]);
    const [gone] = data.terminated_instances as Json[];
    expect(gone).toMatchObject({ id, status: "terminating", ip, actions: { terminate: { available: false } } });
    await expect.poll(async () => (await read(id)).status).toBe("terminated");
    expect(await read(id)).toMatchObject({ ip });
  });

  it("has the keys it was launched with, in the list too: Brev takes the first", async () => {
    const id = await launched();
    const list = (await ask("GET", "/instances")).data as unknown as Json[];
    expect(list.find((one) => one.id === id)).toMatchObject({ ssh_key_names: ["laptop"], file_system_names: [] });
    await terminate([id]);
  });

  it("says of every action whether it can be done, and why only where it cannot", async () => {
    const id = await active();
    const { actions } = await read(id);
    const no = (reason_code: string) => ({ available: false, reason_code, reason_description: expect.any(String) });
    expect(actions).toEqual({
      migrate: no("vm-has-not-launched"),
      rebuild: no("vm-is-too-old"),
      restart: { available: true },
      cold_reboot: { available: true },
      terminate: { available: true },
    });
    await terminate([id]);
  });

  it("is unhealthy when it is stopped or its host does not answer, for its clients know no such words", async () => {
    const id = await active();
    await call("POST", `${server.marketplace}/instance-operations/stop`, { token, body: { instance_uuids: [id] } });
    expect(["active", "unhealthy"]).toContain((await read(id)).status);
    await expect.poll(async () => (await read(id)).status).toBe("unhealthy");
    const listed = async (status: string) =>
      ((await ask("GET", `/instances?status=${status}`)).data as unknown as Json[]).map((one) => one.id);
    expect(await listed("unhealthy")).toContain(id);
    expect(await listed("active")).not.toContain(id);
    const again = await ask("POST", "/instance-operations/restart", { instance_ids: [id] });
    expect((again.data.restarted_instances as Json[])[0]).toMatchObject({ id, status: "booting" });
    await expect.poll(async () => (await read(id)).status).toBe("active");
    await server.db.updateTable("instances").set({ health: "unreachable" }).where("id", "=", id).execute();
    expect((await read(id)).status).toBe("unhealthy");
    expect(await listed("unhealthy")).toContain(id);
    expect(await listed("active")).not.toContain(id);
    await terminate([id]);
  });

  it("is renamed by a POST, cleared by an empty name, and left alone without one", async () => {
    const id = await launched({ name: "ref--2026-11-22-07-00-00Z" });
    const before = await read(id);
    expect(before.name).toBe("ref--2026-11-22-07-00-00Z");
    const rename = (body: object) => ask("POST", `/instances/${id}`, body);
    expect((await rename({ name: "cluster-head" })).data).toMatchObject({ id, name: "cluster-head" });
    expect(await read(id)).toMatchObject({ name: "cluster-head", hostname: before.hostname });
    for (const body of [{}, { name: null }]) expect((await rename(body)).data.name).toBe("cluster-head");
    expect((await rename({ name: "" })).data.name).toMatch(/^gpu_1x_a10-[0-9a-f]{8}$/);
    expect((await rename({ name: "x".repeat(65) })).status).toBe(400);
    expect((await ask("POST", `/instances/${nobody}`, { name: "mine" })).status).toBe(404);
    await terminate([id]);
  });

  it("that is not there is 404, in the words that Brev looks for", async () => {
    for (const id of [nobody, "no-id"]) {
      const { status, error } = await ask("GET", `/instances/${id}`);
      expect([status, error.code]).toEqual([404, "global/object-does-not-exist"]);
      expect(error.message).toContain("instance does not exist");
    }
  });

  it("is not listed with a filter that the list does not know: its client would act on everything", async () => {
    const { body } = await call("GET", `${server.lambda}/openapi.json`);
    const { paths } = body as { paths: Record<string, { get?: { operationId: string } }> };
    const lists = Object.keys(paths).filter((path) => paths[path]?.get?.operationId.startsWith("list"));
    expect(lists).toEqual(expect.arrayContaining(["/instances", "/instance-types", "/images", "/firewall-rules"]));
    for (const path of lists) {
      // Twice without it, so that a cached response of the list is not taken for that of the filtered one.
      for (const _ of [1, 2]) expect((await ask("GET", path)).status, path).toBe(200);
      const { status, error } = await ask("GET", `${path}?cluster_id=none`);
      expect([status, error?.code], path).toEqual([400, "global/invalid-parameters"]);
      expect(error.message, path).toBe("cluster_id: Is not a known parameter.");
      expect(error.suggestion, path).toBe("Correct cluster_id and send the request again.");
    }
  });
});

describe("a launch", () => {
  it.each(["quantity", "Quantity"])("of several takes %s", async (spelling) => {
    const { data } = await ask("POST", "/instance-operations/launch", { ...order, [spelling]: 2 });
    expect(data.instance_ids).toHaveLength(2);
    await terminate(data.instance_ids as string[]);
    const none = await ask("POST", "/instance-operations/launch", { ...order, [spelling]: 0 });
    expect([none.status, none.error.message]).toEqual([400, expect.stringContaining(spelling)]);
  });

  it("ignores fields of other services, and names what is missing for them", async () => {
    const { region_name: region, ...rest } = order;
    const { status, text } = await ask("POST", "/instance-operations/launch", { ...rest, region, image_name: "x" });
    expect([status, text]).toEqual([400, expect.stringContaining("region_name")]);
  });

  it("without room is 400, with the code and the words that clients look for", async () => {
    const { status, error } = await ask("POST", "/instance-operations/launch", { ...order, quantity: 5 });
    expect([status, error.code, error.message]).toEqual([
      400,
      "instance-operations/launch/insufficient-capacity",
      "Not enough capacity to fulfill launch request.",
    ]);
    expect(error.suggestion).toMatch(/./);
  });
});

describe("a termination", () => {
  it("may be repeated, with some that are gone already: every one asked for is answered, in full", async () => {
    const [one, two] = [await active(), await active()];
    await terminate([one]);
    const { status, data } = await terminate([one, two]);
    expect(status).toBe(200);
    const gone = data.terminated_instances as Json[];
    expect(gone.map(({ id }) => id)).toEqual([one, two]);
    for (const each of gone) expect(["terminating", "terminated"]).toContain(each.status);
    expect(gone[1]).toMatchObject({ region: { name: "us-east-1" }, instance_type: { name: "gpu_1x_a10" } });
  });

  it("of nothing is 200: SkyPilot sends an empty list when no machine is left", async () => {
    const { status, text } = await terminate([]);
    expect([status, text]).toEqual([200, '{"data":{"terminated_instances":[]}}']);
  });

  it("of one that is not there ends nothing", async () => {
    const id = await active();
    expect((await terminate([id, nobody])).status).toBe(404);
    expect((await read(id)).status).toBe("active");
    await terminate([id]);
  });
});

describe("SSH keys", () => {
  it("are objects of exactly these fields, with the key as it was given, comment and all", async () => {
    const list = (await ask("GET", "/ssh-keys")).data as unknown as Json[];
    const laptop = list.find(({ name }) => name === "laptop");
    expect(laptop).toEqual({ id: expect.stringMatching(/./), name: "laptop", public_key: examplePublicKey });
  });

  it("that are generated come with a private key that ssh takes at once, and only then", async () => {
    const { status, data } = await ask("POST", "/ssh-keys", { name: "generated" });
    expect(status).toBe(200);
    expect(Object.keys(data).toSorted()).toEqual(["id", "name", "private_key", "public_key"]);
    expect(data.private_key).toMatch(
      /^-----BEGIN OPENSSH PRIVATE KEY-----\n[\s\S]+-----END OPENSSH PRIVATE KEY-----\n$/,
    );
    expect((await ask("GET", "/ssh-keys")).text).not.toContain("PRIVATE");
  });

  it("of a name that is taken are 400, in the words that Brev looks for", async () => {
    const { status, error } = await ask("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
    expect([status, error.code]).toEqual([400, "global/invalid-parameters"]);
    expect(error.message).toContain("Key name must be unique");
  });

  it("that are not there are 404 when they are deleted", async () => {
    const { status, error } = await ask("DELETE", `/ssh-keys/${nobody}`);
    expect([status, error.code]).toEqual([404, "global/not-found"]);
    expect(error.suggestion).toBe("Use one of those that GET /ssh-keys lists.");
  });
});
