// What clients of variant D's family send and need, each as it was seen in one: NVIDIA Brev's provider, skyward, the
// family's own MCP server, SDKs. One test for one behavior, with its reason. The shapes of D's answers and what coupons
// do are held in src/http/direct and test/conformance; here is what only a client would stumble over.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTransaction } from "../../src/database/transaction.ts";
import type { ErrorDetails, ErrorKind } from "../../src/http/errors/api-error.ts";
import { errorKinds } from "../../src/http/errors/documentation.ts";
import { responseFor } from "../../src/http/errors/response.ts";
import { errors } from "../../src/http/errors/table.ts";
import { createAccount } from "../../src/rental/accounts/account-store.ts";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

let server: RunningServer;
let token: string;

type Json = Record<string, unknown>;
const nobody = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
/** As Brev's provider looks for it, in either case, when no image was asked for. */
const brevsImage = "Ubuntu Server 22.04 w/ drivers";
const description = "1x RTX A6000 (48GB)";
const order = { productName: "gpu_1x_a6000", regionName: "any" };
const withoutComment = examplePublicKey.split(" ").slice(0, 2).join(" ");

async function put(path: string, body: object): Promise<void> {
  const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  expect(status, text).toBe(200);
}

beforeAll(async () => {
  server = await startServer();
  await put("/regions/us-central-1", { description: "Kansas City, USA" });
  await put("/images/base", { number: 1, default: true });
  await put(`/images/${encodeURIComponent(brevsImage)}`, { number: 84 });
  const size = { vcpus: 6, memory_gib: 48, storage_gb: 256 };
  const gpu = { gpu_model: "A6000", gpus: 1 };
  await put("/instance-types/gpu_1x_a6000", { ...gpu, ...size, description, price_cents_per_hour: 79 });
  await put("/instance-types/gpu_1x_l40", { ...gpu, ...size, gpu_model: "L40", price_cents_per_hour: 99 });
  const gpus = [1, 2, 3, 4].map((at) => ({ address: `0000:0${at}:00.0`, model: "A6000", memory_gib: 48 }));
  const host = { engine: "simulated", region: "us-central-1", vcpus: 400, memory_gib: 4000, storage_gb: 40_000, gpus };
  await put("/hosts/host-1", host);
  const coupon = { discount_percent: 10, deactivation_date: "2099-12-31T00:00:00Z" };
  await put("/coupons/ELSEWHERE", { ...coupon, instance_types: ["gpu_1x_l40"] });
  await put("/coupons/OFF", { ...coupon, active: false });
  await put("/coupons/OVER", { ...coupon, deactivation_date: "2020-01-01T00:00:00Z" });
  token = await server.customerToken("ada");
});
afterAll(() => server?.close());

async function ask(method: string, path: string, body?: unknown, as = token) {
  const answer = await call(method, `${server.direct}${path}`, { token: as, body });
  return { status: answer.status, text: answer.text, body: (answer.body ?? {}) as Json };
}

/** Launches, as clients do: anything below 300 is good, and `response` is the UUID. */
async function launched(more: object = {}): Promise<string> {
  const { status, text, body } = await ask("POST", "/instance/launch", { ...order, ...more });
  expect(status, text).toBe(202);
  return String(body.response);
}

/** What Brev and skyward take of the answer to a single read. */
async function read(uuid: string): Promise<Json> {
  const { status, text, body } = await ask("GET", `/instance/${uuid}`);
  expect(status, text).toBe(200);
  const [first] = body.runningInstances as Json[];
  return first ?? {};
}

const listed = async () => (await ask("GET", "/instance")).body.runningInstances as Json[];
const terminate = (...instanceUuids: string[]) => ask("POST", "/instance/terminate", { instanceUuids });

describe("the token", () => {
  it("is asked about by a POST with an empty object, and is valid when it may only read: the MCP server does so", async () => {
    const reader = await server.customerToken("ada", ["read"]);
    const body = { message: "Valid Token" };
    expect(await ask("POST", "/account/token/validation", {}, reader)).toMatchObject({ status: 200, body });
    expect((await ask("POST", "/account/token/validation", {}, "lessor_nobody")).status).toBe(401);
  });
});

describe("images", () => {
  it("may be called as Brev looks for one: by the name of another service's, with spaces and a slash", async () => {
    const images = (await ask("GET", "/images")).body.images as Json[];
    const found = images.find(({ vm_image_name: name }) => String(name).toLowerCase() === brevsImage.toLowerCase());
    expect(found).toEqual({ vm_image_id: 84, vm_image_name: brevsImage, vm_image_description: brevsImage });
    const uuid = await launched({ imageId: found?.vm_image_id });
    expect((await read(uuid)).image).toMatchObject({ id: 84, name: brevsImage });
    await terminate(uuid);
  });

  it("may have the number that a client has as a constant: skyward's 84 and 184", async () => {
    await put("/images/another", { number: 184 });
    const uuid = await launched({ imageId: 184 });
    expect((await read(uuid)).image).toMatchObject({ id: 184, name: "another" });
    await terminate(uuid);
  });

  it("need not be named: SDKs leave imageId out, and get the operator's default", async () => {
    const uuid = await launched();
    expect((await read(uuid)).image).toMatchObject({ id: 1, name: "base" });
    await terminate(uuid);
  });
});

describe("products", () => {
  it("have their description to the letter everywhere: Brev reads GPU and memory from it, without a blank", async () => {
    const inventory = (await ask("GET", "/gpu-inventory")).body.gpu_inventory as Record<string, Json>;
    expect(inventory.gpu_1x_a6000?.instance_type).toMatchObject({ description });
    const uuid = await launched();
    expect((await read(uuid)).product).toMatchObject({ name: "gpu_1x_a6000", description, storage: 256 });
    expect((await listed())[0]?.product).toMatchObject({ description });
    await terminate(uuid);
  });

  it("that fit nowhere are listed with no capacity and no region: clients launch only what has some", async () => {
    const inventory = (await ask("GET", "/gpu-inventory")).body.gpu_inventory as Record<string, Json>;
    expect(inventory.gpu_1x_l40).toMatchObject({ capacity_available: 0, regions_with_capacity_available: [] });
  });
});

describe("SSH keys", () => {
  it("without a comment come back without one: Brev compares what it sent, and adds a key twice otherwise", async () => {
    const name = "brevkey 0198c5a25c52";
    const added = await ask("POST", "/ssh-keys", { name, publicKey: withoutComment });
    expect(added).toMatchObject({ status: 200, body: { sshKey: { name } } });
    const keys = (await ask("GET", "/ssh-keys")).body.sshKeys as Json[];
    expect(keys.filter(({ public_key: key }) => key === withoutComment)).toMatchObject([{ name }]);
    const uuid = await launched({ sshKeys: [name] });
    await terminate(uuid);
  });

  it("of a name that is taken are refused, the same key too: D says 409 there, and names are not overwritten", async () => {
    const key = { name: "twice", publicKey: withoutComment };
    expect((await ask("POST", "/ssh-keys", key)).status).toBe(200);
    const again = await ask("POST", "/ssh-keys", key);
    expect([again.status, (again.body.error as Json).message]).toEqual([409, "Key name must be unique"]);
    expect((await ask("POST", "/ssh-keys", { ...key, name: "thrice" })).status).toBe(200);
  });

  it("are named by their text too: the vendor's document shows texts, and clients send what they registered", async () => {
    const own = await server.customerToken("by-text");
    expect((await ask("POST", "/ssh-keys", { name: "laptop", publicKey: examplePublicKey }, own)).status).toBe(200);
    // The second names the same key twice, and has it once.
    for (const keys of [
      { sshKeys: [`${withoutComment} another@host`] },
      { sshKeys: ["laptop"], sshKey: examplePublicKey },
    ]) {
      const { status, text, body } = await ask("POST", "/instance/launch", { ...order, ...keys }, own);
      expect(status, text).toBe(202);
      const ended = await ask("POST", "/instance/terminate", { instanceUuids: [body.response] }, own);
      expect(ended.body).toMatchObject({
        response: { data: { terminated_instances: [{ ssh_key_names: ["laptop"] }] } },
      });
    }
  });

  it("of which a text is not registered are rejected with what to do, and no text is cut without saying so", async () => {
    const stranger = await server.customerToken("stranger");
    const refused = await ask("POST", "/instance/launch", { ...order, sshKeys: [examplePublicKey] }, stranger);
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        error: expect.objectContaining({
          code: "global/object-does-not-exist",
          message: expect.stringMatching(
            /^sshKeys: The public key with the fingerprint SHA256:\S{43} is not registered\.$/,
          ),
          suggestion: "Add this key to your SSH keys, then launch with its name or the same text.",
        }),
        field_errors: { sshKeys: expect.objectContaining({ code: "global/object-does-not-exist" }) },
      },
    ]);
    const long = await ask("POST", "/instance/launch", { ...order, productName: "x".repeat(100) });
    expect((long.body.error as Json).message).toBe(
      `productName: There is no instance type named "${"x".repeat(80)}…".`,
    );
  });

  it("are a list when there are none: Brev takes a missing one for a broken answer", async () => {
    expect((await ask("GET", "/ssh-keys", undefined, await server.customerToken("keyless"))).text).toBe(
      '{"sshKeys":[]}',
    );
  });
});

describe("an instance", () => {
  it("is read right after its launch, with all that clients take of it: Brev reads it at once", async () => {
    const name = "prod_cred-1_ref-2";
    const uuid = await launched({ instanceName: name, command: "ufw enable" });
    const one = await read(uuid);
    // Names come back unchanged: Brev puts three parts into one, with underscores between.
    expect(one).toMatchObject({ uuid, name, status: "rented", username: "ubuntu", command_startup: "ufw enable" });
    expect(typeof one.ip).toBe("string");
    expect(new Date(String(one.created)).toISOString()).toBe(one.created);
    await terminate(uuid);
  });

  it("is under both names in a single read: SDKs take one, Brev and skyward the first of the other", async () => {
    const uuid = await launched();
    const { body } = await ask("GET", `/instance/${uuid}`);
    expect(body.runningInstances).toEqual([body.runningInstance]);
    await terminate(uuid);
  });

  it("has its region by name where it is listed too: Brev sorts by it", async () => {
    const uuid = await launched();
    const region = { name: "us-central-1", description: "Kansas City, USA" };
    expect((await listed()).find((one) => one.uuid === uuid)).toMatchObject({ region });
    expect((await terminate(uuid)).body).toMatchObject({ response: { data: { terminated_instances: [{ region }] } } });
  });

  it("has an address once it is up, and keeps it: clients poll until `ip` is no empty text", async () => {
    const uuid = await launched();
    await expect.poll(async () => (await read(uuid)).os_booted, { interval: 20 }).toBe(1);
    expect((await read(uuid)).ip).toMatch(/^[\d.]+$/);
    await terminate(uuid);
  });

  it("that is terminated is off the list and said to be terminated when it is read, not 404 at once", async () => {
    const uuid = await launched();
    await terminate(uuid);
    expect((await listed()).map((one) => one.uuid)).not.toContain(uuid);
    expect(await read(uuid)).toMatchObject({ status: "terminated", active: 0 });
  });

  it("may be terminated again, and 404 is for one that never was: Brev takes that for gone, all else for trouble", async () => {
    const uuid = await launched();
    for (let again = 0; again < 2; again++) expect((await terminate(uuid)).status).toBe(202);
    expect((await terminate(nobody)).status).toBe(404);
  });
});

describe("a launch with a coupon that cannot be used", () => {
  it.each([
    ["is unknown", "NOWHERE", "NOWHERE"],
    ["is expired", "OVER", "expired"],
    ["is switched off", "OFF", "not active"],
    ["is for another product", "ELSEWHERE", "not for gpu_1x_a6000"],
  ])("because it %s is refused, and nothing is launched at list price", async (_, coupon, words) => {
    const before = await listed();
    const { status, body } = await ask("POST", "/instance/launch", { ...order, coupon });
    expect([status, (body.error as Json).message]).toEqual([400, expect.stringContaining(words)]);
    expect(await listed()).toEqual(before);
  });

  it("is good for its own product", async () => {
    const { status, text } = await ask("POST", "/instance/launch", {
      ...order,
      productName: "gpu_1x_l40",
      coupon: "ELSEWHERE",
    });
    // No host has one: what is refused is the capacity, and not the coupon.
    expect([status, text]).toEqual([409, expect.stringContaining("capacity")]);
  });
});

describe("a refusal", () => {
  /** With quotas of its own. */
  async function smallAccount(): Promise<string> {
    return inTransaction(server.db, async (tx) => {
      const quotas = { instances: 0, gpus: 10, vcpus: 100, ssh_keys: 0, file_systems: 0 };
      const { id } = await createAccount(tx, { name: "small", quotas });
      return (await createToken(tx, { accountId: id, name: "t", scopes: ["read", "write"], expiresAt: null })).token;
    });
  }

  it("for want of room says capacity, and nothing of a quota: Brev tells the two apart by these words", async () => {
    const { status, text } = await ask("POST", "/instance/launch", { ...order, productName: "gpu_1x_l40" });
    expect(status).toBe(409);
    expect(text).toContain("capacity");
    expect(text).not.toMatch(/quota/i);
  });

  it("for a quota says quota, and nothing of capacity, which Brev looks for first", async () => {
    const small = await smallAccount();
    for (const [path, body] of [
      ["/instance/launch", order],
      ["/ssh-keys", { name: "one", publicKey: withoutComment }],
    ] as const) {
      const { status, text } = await ask("POST", path, body, small);
      expect(status, text).toBe(403);
      expect(text).toContain("quota");
      expect(text).not.toMatch(/capacity/i);
    }
  });

  it("for anything else says neither, nor any other word that Brev sorts by, in the whole body", () => {
    const examples: { readonly [K in ErrorKind]: { readonly example: ErrorDetails[K] } } = errors;
    const saying = (words: RegExp) =>
      errorKinds.filter((kind) =>
        words.test(JSON.stringify(responseFor(kind, examples[kind].example, "otherwise", "id").body)),
      );
    expect(saying(/capacity|out of stock/i)).toEqual(["insufficient-capacity"]);
    expect(saying(/quota|limit exceeded/i)).toEqual(["quota-exceeded"]);
  });
});
