// File systems, mount points and user data as clients of the lambda family use them: Terraform providers, `lai`,
// ansible-lambdalabs and other command lines, SDKs, errand. One test for one behavior, with its reason.

import { request } from "node:http";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
let token: string;
let accountId: string;
const nobody = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
const MiB = 1_048_576;

beforeAll(async () => {
  server = await startServer();
  const put = async (path: string, body: object) => {
    const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
    expect(status, text).toBe(200);
  };
  await put("/regions/us-east-1", { description: "Virginia, USA" });
  await put("/regions/us-west-1", { description: "California, USA" });
  await put("/images/ubuntu", { number: 1 });
  const size = { gpus: 0, vcpus: 1, memory_gib: 1, storage_gb: 1 };
  await put("/instance-types/cpu_1x", { ...size, price_cents_per_hour: 1 });
  for (const region of ["us-east-1", "us-west-1"]) {
    const host = { engine: "simulated", region, vcpus: 400, memory_gib: 400, storage_gb: 400, gpus: [] };
    await put(`/hosts/${region}`, host);
  }
  token = await server.customerToken("ada");
  const account = await call("GET", `${server.control}/account`, { token });
  accountId = (account.body as { data: { id: string } }).data.id;
});
afterAll(() => server?.close());

type Json = Record<string, unknown>;

async function ask(method: string, path: string, body?: unknown) {
  const answer = await call(method, `${server.lambda}${path}`, { token, body });
  const {
    data,
    error,
    field_errors: fields,
  } = (answer.body ?? {}) as { [name in "data" | "error"]: Json } & {
    field_errors?: Record<string, { message: string }>;
  };
  return { status: answer.status, text: answer.text, data, error, fields: Object.keys(fields ?? {}) };
}

let count = 0;
async function made(more: object = {}): Promise<{ id: string; name: string }> {
  const { status, text, data } = await ask("POST", "/filesystems", {
    name: `models-${++count}`,
    region: "us-east-1",
    ...more,
  });
  expect(status, text).toBe(200);
  return { id: String(data.id), name: String(data.name) };
}

const order = { region_name: "us-east-1", instance_type_name: "cpu_1x", ssh_key_names: [] };
const launch = (more: object) => ask("POST", "/instance-operations/launch", { ...order, ...more });
async function launched(more: object): Promise<Json> {
  const { status, text, data } = await launch(more);
  expect(status, text).toBe(200);
  const [id] = data.instance_ids as string[];
  return (await ask("GET", `/instances/${id}`)).data;
}

describe("a file system", () => {
  it("has all of these fields, always, and no null: typed clients fail where one is missing", async () => {
    const { id, name } = await made();
    const { data } = await ask("GET", "/file-systems");
    const shown = (data as unknown as Json[]).find((one) => one.id === id);
    expect(shown).toEqual({
      id,
      name,
      mount_point: `/lambda/nfs/${name}`,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created_by: { id: accountId, email: "ada", status: "active" },
      is_in_use: false,
      region: { name: "us-east-1", description: "Virginia, USA" },
      bytes_used: 0,
    });
  });

  it.each(["/file-systems", "/filesystems"])(
    "is made, listed and deleted at %s: some clients use both paths, others one for everything",
    async (path) => {
      const name = `everything-at${path.replace("/", "-")}`;
      const { data } = await ask("POST", path, { name, region: "us-east-1" });
      expect(data).toMatchObject({ name, is_in_use: false });
      const ids = async () => ((await ask("GET", path)).data as unknown as Json[]).map((one) => one.id);
      expect(await ids()).toContain(data.id);
      const gone = await ask("DELETE", `${path}/${data.id}`);
      expect([gone.status, gone.data]).toEqual([200, { deleted_ids: [data.id] }]);
      expect(await ids()).not.toContain(data.id);
    },
  );

  it("is named in deleted_ids as it was listed, however it was written: Terraform looks for its own id", async () => {
    const { id } = await made();
    const { data } = await ask("DELETE", `/filesystems/${id.replaceAll("-", "").toUpperCase()}`);
    expect(data).toEqual({ deleted_ids: [id] });
  });

  it("is made without a size, which no client can give: it has the operator's", async () => {
    const { id } = await made();
    const { body } = await call("GET", `${server.control}/file-systems`, { token });
    const { data } = body as { data: Json[] };
    expect(data.find((one) => one.id === id)).toMatchObject({ size_gb: 1000 });
  });

  it("in a region that there is not is refused and names the field; so is a name that is taken", async () => {
    const nowhere = await ask("POST", "/filesystems", { name: "x", region: "nowhere" });
    expect([nowhere.status, nowhere.error.code, nowhere.fields]).toEqual([
      400,
      "global/invalid-parameters",
      ["region"],
    ]);
    const { name } = await made();
    const again = await ask("POST", "/file-systems", { name, region: "us-east-1" });
    expect([again.status, again.error.code]).toEqual([400, "global/duplicate"]);
  });

  it("that an instance has is in use, and refused with the family's code: clients wait and try again by that", async () => {
    const { id, name } = await made();
    const instance = await launched({ file_system_names: [name] });
    const list = (await ask("GET", "/file-systems")).data as unknown as Json[];
    expect(list.find((one) => one.id === id)?.is_in_use).toBe(true);
    const refused = await ask("DELETE", `/filesystems/${id}`);
    expect([refused.status, refused.error.code]).toEqual([400, "filesystems/filesystem-in-use"]);
    await ask("POST", "/instance-operations/terminate", { instance_ids: [instance.id] });
    await expect.poll(async () => (await ask("DELETE", `/filesystems/${id}`)).status, { interval: 20 }).toBe(200);
  });

  it("is shared by the instances of one launch and of later ones, until the last of them has ended", async () => {
    const { id, name } = await made();
    const inUse = async () => {
      const list = (await ask("GET", "/file-systems")).data as unknown as Json[];
      return list.find((one) => one.id === id)?.is_in_use;
    };
    const two = await launch({ file_system_names: [name], quantity: 2 });
    expect(two.status, two.text).toBe(200);
    const third = await launched({ file_system_names: [name] });
    const ids = [...(two.data.instance_ids as string[]), third.id];
    for (const one of ids) {
      const { rows } = await machine(one, "mount_points");
      expect(rows).toEqual([{ mount_points: [`/lambda/nfs/${name}`] }]);
    }
    await ask("POST", "/instance-operations/terminate", { instance_ids: ids.slice(1) });
    await expect.poll(() => holders(id), { interval: 20 }).toEqual(ids.slice(0, 1));
    expect(await inUse()).toBe(true);
    await ask("POST", "/instance-operations/terminate", { instance_ids: ids });
    await expect.poll(inUse, { interval: 20 }).toBe(false);
  });

  it("tells how much is on it, as its engine measured last", async () => {
    const { id } = await made();
    await server.db.updateTable("file_systems").set({ bytes_used: 52_428_800 }).where("id", "=", id).execute();
    const list = (await ask("GET", "/file-systems")).data as unknown as Json[];
    expect(list.find((one) => one.id === id)?.bytes_used).toBe(52_428_800);
  });

  it("that there is not is a 404: Terraform takes that for gone", async () => {
    const { status, error } = await ask("DELETE", `/filesystems/${nobody}`);
    expect([status, error.code]).toEqual([404, "global/object-does-not-exist"]);
  });

  it("in another region than the launch is refused with the family's code", async () => {
    const { name } = await made({ region: "us-west-1" });
    const { status, error, fields } = await launch({ file_system_names: [name] });
    expect([status, error.code, fields]).toEqual([
      400,
      "instance-operations/launch/file-system-in-wrong-region",
      ["file_system_names"],
    ]);
  });
});

describe("mount points", () => {
  it("are always shown with an instance, also where there are none: `lai` reads the list without looking", async () => {
    expect(await launched({})).toMatchObject({ file_system_names: [], file_system_mounts: [] });
    const { id, name } = await made();
    expect(await launched({ file_system_names: [name] })).toMatchObject({
      file_system_names: [name],
      file_system_mounts: [{ mount_point: `/lambda/nfs/${name}`, file_system_id: id }],
    });
  });

  it("may be one's own, and reach the machine", async () => {
    const { id, name } = await made();
    const mounts = [{ mount_point: "/home/ubuntu/models", file_system_id: id }];
    const instance = await launched({ file_system_mounts: mounts });
    expect(instance).toMatchObject({ file_system_names: [name], file_system_mounts: mounts });
    const { rows } = await machine(instance.id, "mount_points");
    expect(rows).toEqual([{ mount_points: ["/home/ubuntu/models"] }]);
  });

  it("hold for a file system that is named too: the family's API says so", async () => {
    const [one, other] = [await made(), await made()];
    const mounts = [{ mount_point: "/data/one", file_system_id: one.id }];
    expect(await launched({ file_system_names: [one.name, other.name], file_system_mounts: mounts })).toMatchObject({
      file_system_names: [one.name, other.name],
      file_system_mounts: [...mounts, { mount_point: `/lambda/nfs/${other.name}`, file_system_id: other.id }],
    });
  });

  it("may be null, as SDKs send what was not given", async () => {
    expect(await launched({ file_system_mounts: null, file_system_names: null, user_data: null })).toMatchObject({
      file_system_mounts: [],
    });
  });

  it.each([
    ["relative", "data", "mount_point"],
    ["not in its shortest form", "/data/../etc", "mount_point"],
    ["over the system", "/usr", "mount_point"],
    ["over a home", "/home/ubuntu", "mount_point"],
    ["too long", `/${"x".repeat(300)}`, "mount_point"],
  ])("that are %s are refused, and the field is named", async (_, mount_point, field) => {
    const { id } = await made();
    const { status, error, fields } = await launch({ file_system_mounts: [{ mount_point, file_system_id: id }] });
    expect([status, error.code, fields]).toEqual([400, "global/invalid-parameters", [`file_system_mounts.0.${field}`]]);
  });

  it("of one file system twice, of one that there is not, and with a field missing are refused", async () => {
    const { id } = await made();
    const twice = [
      { mount_point: "/a", file_system_id: id },
      { mount_point: "/b", file_system_id: id },
    ];
    expect((await launch({ file_system_mounts: twice })).fields).toEqual(["file_system_mounts.1.file_system_id"]);
    const unknown = await launch({ file_system_mounts: [{ mount_point: "/a", file_system_id: nobody }] });
    expect([unknown.error.code, unknown.fields]).toEqual([
      "global/object-does-not-exist",
      ["file_system_mounts.0.file_system_id"],
    ]);
    const missing = await launch({ file_system_mounts: [{ file_system_id: id }] });
    expect([missing.status, missing.fields]).toEqual([
      400,
      expect.arrayContaining(["file_system_mounts.0.mount_point"]),
    ]);
  });
});

describe("user data", () => {
  it("reaches the machine as it was sent", async () => {
    const user_data = "#cloud-config\npackages: [git]\n# ü\r\n";
    const { id } = await launched({ user_data });
    expect((await machine(id, "user_data_bytes")).rows).toEqual([{ user_data_bytes: Buffer.byteLength(user_data) }]);
  });

  it("may have a mebibyte, also where JSON makes it twice as long and curl asks first", async () => {
    const user_data = '"\n'.repeat(MiB / 2);
    const body = JSON.stringify({ ...order, user_data });
    expect(body.length).toBeGreaterThan(2 * MiB);
    expect(await askingFirst(body)).toEqual({ wasContinued: true, status: 200 });
    expect((await launch({ user_data: `${user_data}x` })).fields).toEqual(["user_data"]);
    expect((await launch({ user_data: "x".repeat(3 * MiB) })).status).toBe(413);
  });

  it("makes no other body larger", async () => {
    const { status } = await ask("POST", "/ssh-keys", { name: "x", comment: "x".repeat(MiB) });
    expect(status).toBe(413);
  });

  it("is shown nowhere, and not even repeated where it is refused", async () => {
    const secret = "hidden-from-everybody";
    const instance = await launched({ user_data: `#!/bin/sh\n# ${secret}\n` });
    const refused = await launch({ user_data: `${secret}${"x".repeat(MiB)}` });
    const events = await call("GET", `${server.control}/events`, { token });
    const audit = await call("GET", `${server.control}/audit-log`, { token: server.operatorToken });
    expect(audit.status).toBe(200);
    const list = await ask("GET", "/instances");
    for (const text of [JSON.stringify(instance), refused.text, events.text, audit.text, list.text]) {
      expect(text).not.toContain(secret);
    }
  });

  it("is a part of the request that an Idempotency-Key stands for", async () => {
    const headers = { "idempotency-key": "user-data" };
    const send = (user_data: string) =>
      call("POST", `${server.lambda}/instance-operations/launch`, { token, headers, body: { ...order, user_data } });
    const first = await send("#!/bin/sh\n");
    expect((await send("#!/bin/sh\n")).text).toBe(first.text);
    expect((await send("#!/bin/bash\n")).status).toBe(422);
  });

  it.each([[5], [["#!/bin/sh"]], [{ text: "x" }], ["\0"], ["\ud800"]])(
    "that is no text, or none that can be kept, is refused: %j",
    async (user_data) => {
      const { status, fields } = await launch({ user_data });
      expect([status, fields]).toEqual([400, ["user_data"]]);
    },
  );
});

/** What the simulated engine was told of the instance's machine, once it has been. */
/** The instances that have the file system, as the control interface tells. */
async function holders(id: string): Promise<unknown> {
  const { body } = await call("GET", `${server.control}/file-systems`, { token });
  return (body as { data: Json[] }).data.find((one) => one.id === id)?.instance_ids;
}

async function machine(id: unknown, column: "mount_points" | "user_data_bytes") {
  const read = () => sql`select ${sql.ref(column)} from simulated.machines where id = ${id}`.execute(server.db);
  await expect.poll(async () => (await read()).rows.length, { interval: 20 }).toBe(1);
  return read();
}

/** As curl sends what is large: with `Expect: 100-continue`, and the body only after leave was given. */
function askingFirst(body: string): Promise<{ wasContinued: boolean; status: number | undefined }> {
  return new Promise((resolve, reject) => {
    let wasContinued = false;
    const sending = request(`${server.lambda}/instance-operations/launch`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, expect: "100-continue", "content-length": Buffer.byteLength(body) },
    });
    sending.on("continue", () => {
      wasContinued = true;
      sending.end(body);
    });
    sending.on("response", (response) => {
      response.resume();
      resolve({ wasContinued, status: response.statusCode });
    });
    sending.on("error", reject);
    sending.flushHeaders();
  });
}
