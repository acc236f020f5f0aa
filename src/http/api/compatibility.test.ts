// Tokens that are pinned to version 1.0.3, over HTTP. The shapes stand here as the specification has them ("Resources and
// their fields"), so that the schemas which answers are cut by are held against it.

import { type TObject, Type } from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallOptions, type CallResult, type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { examplePublicKey, makeWorld, type World } from "../../../test/support/world.ts";
import type { Principal } from "../../rental/service.ts";
import { lambda } from "../lambda/interface.ts";
import { reference } from "../reference/interface.ts";
import { cutError, cutTo } from "./compatibility.ts";
import type { HttpContext } from "./context.ts";
import type { Api } from "./operations.ts";

let world: World;
let http: RunningHttp;
let principal: Principal;
let type: string;
/** Of one account: without a pin, and pinned to 1.0.3. */
let current: string;
let pinned: string;

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  await world.host({ gpus: 60, vcpus: 1000, memoryGib: 10_000, storageGb: 100_000 });
  await world.image();
  type = (await world.product()).name;
  const customer = await http.customer();
  ({ principal, token: current } = customer);
  ({ token: pinned } = await http.customer({ principal, pinnedTo: "1.0.3" }));
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const editions = {
  "variant R": () => http.reference,
  "variant R on the main port": () => `${http.main}/reference`,
  "the lambda edition": () => http.lambda,
};
const everyEdition = Object.entries(editions);
const strictError = { error: { code: "text", message: "text", suggestion: "text" } };

const region = { name: "text", description: "text" };
const specs = { vcpus: "number", memory_gib: "number", storage_gib: "number" };
const product = { name: "text", description: "text", price_cents_per_hour: "number" };
const offer = { instance_type: { ...product, specs }, regions_with_capacity_available: [region] };
const instance = {
  id: "text",
  name: "text",
  ip: "text",
  status: "text",
  ssh_key_names: [],
  file_system_names: [],
  region,
  instance_type: { ...product, gpu_description: "text", specs: { ...specs, gpus: "number" } },
  hostname: "text",
};

/** What an answer is made of: the kinds of its values instead of the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
  }
  return typeof value === "string" ? "text" : typeof value;
}

type Ask = (method: string, path: string, body?: unknown, more?: CallOptions) => Promise<CallResult>;
const asking =
  (base: string, token: string): Ask =>
  (method, path, body, more = {}) =>
    http.call(method, base + path, { token, body, ...more });

/** An instance of the account; its id. */
async function launched(): Promise<string> {
  return (await world.launchOne(principal, { instanceType: type })).id;
}

describe.each(everyEdition)("to a token pinned to 1.0.3 %s shows exactly the fields of 1.0.3", (_name, base) => {
  const ask: Ask = (...asked) => asking(base(), pinned)(...asked);

  it("of instance types", async () => {
    const { status, body } = await ask("GET", "/instance-types");
    expect([status, shapeOf(body)]).toEqual([200, { data: { [type]: offer } }]);
  });

  it("of instances in the list and read alone, an empty address while there is none", async () => {
    const id = await launched();
    const list = (await ask("GET", "/instances")).body as { data: { id: string; ip: string }[] };
    const one = list.data.find((listed) => listed.id === id);
    expect(shapeOf(one)).toEqual(instance);
    expect(one?.ip).toBe("");
    expect((await ask("GET", `/instances/${id}`)).body).toEqual({ data: one });
    for (const each of list.data) expect(Object.keys(each).sort()).toEqual(Object.keys(instance).sort());
  });

  it("of instances that are launched, restarted and terminated", async () => {
    const order = { region_name: "any", instance_type_name: type, ssh_key_names: [], file_system_names: [], name: "n" };
    const launch = await ask("POST", "/instance-operations/launch", { ...order, quantity: 2 });
    expect([launch.status, shapeOf(launch.body)]).toEqual([200, { data: { instance_ids: ["text", "text"] } }]);
    const { instance_ids } = (launch.body as { data: { instance_ids: string[] } }).data;
    for (const id of instance_ids) await world.put(id, "stopped");
    const restart = await ask("POST", "/instance-operations/restart", { instance_ids });
    expect([restart.status, shapeOf(restart.body)]).toEqual([
      200,
      { data: { restarted_instances: [instance, instance] } },
    ]);
    const end = await ask("POST", "/instance-operations/terminate", { instance_ids });
    expect([end.status, shapeOf(end.body)]).toEqual([200, { data: { terminated_instances: [instance, instance] } }]);
  });

  it("of keys, and the private half of a generated one once: it would be lost otherwise", async () => {
    const key = { id: "text", name: "text", public_key: "text" };
    const made = async (body: object) => {
      const { data } = (await ask("POST", "/ssh-keys", body)).body as { data: unknown };
      return [data].flat()[0] as { id: string };
    };
    const added = await made({ name: world.fresh("key"), public_key: examplePublicKey });
    const generated = await made({ name: world.fresh("key") });
    expect([shapeOf(added), shapeOf(generated)]).toEqual([key, { ...key, private_key: "text" }]);
    const list = shapeOf((await ask("GET", "/ssh-keys")).body) as { data: unknown[] };
    for (const each of list.data) expect(each).toEqual(key);
    for (const { id } of [added, generated]) expect((await ask("DELETE", `/ssh-keys/${id}`)).status).toBe(200);
  });

  it("of errors: neither fields nor a request id beside code, message and suggestion", async () => {
    const order = { region_name: "any", instance_type_name: type, ssh_key_names: [] };
    for (const [status, method, path, body, headers = {}] of [
      [400, "POST", "/instance-operations/launch", { ...order, quantity: "two" }],
      [400, "POST", "/instance-operations/launch", { ...order, instance_type_name: "none" }],
      [400, "POST", "/instance-operations/launch", { ...order, quantity: 64 }],
      [400, "POST", "/instance-operations/launch", "no json"],
      [400, "GET", "/instances?limit=x", undefined],
      [404, "GET", "/instances/none", undefined],
      [404, "POST", "/instance-operations/terminate", { instance_ids: ["none"] }],
    ] as const) {
      const refused = await ask(method, path, body, { token: pinned, body, headers });
      expect([refused.status, shapeOf(refused.body)], `${path} ${refused.text}`).toEqual([status, strictError]);
      expect(refused.headers.get("x-request-id")).toMatch(/./);
    }
  });

  it("of errors, with the reason of each field in the message, for there is no other place", async () => {
    const order = { region_name: "any", instance_type_name: type, ssh_key_names: [] };
    for (const wrong of [{ quantity: "two" }, { quantity: "two", name: 5 }]) {
      const body = { ...order, ...wrong };
      const path = `${base()}/instance-operations/launch`;
      const [whole, cut] = [
        await asking("", current)("POST", path, body),
        await asking("", pinned)("POST", path, body),
      ];
      const fields = (whole.body as { field_errors: Record<string, { message: string }> }).field_errors;
      expect(Object.keys(fields).toSorted()).toEqual(Object.keys(wrong).toSorted());
      const { message, suggestion } = (cut.body as { error: { message: string; suggestion: string } }).error;
      for (const [field, problem] of Object.entries(fields)) expect(message).toContain(`${field}: ${problem.message}`);
      for (const field of Object.keys(fields).slice(0, 5)) expect(suggestion).toContain(field);
    }
  });

  it("of errors also where the token lacks a scope, or is over", async () => {
    const reader = await http.customer({ principal, scopes: ["read"], pinnedTo: "1.0.3" });
    const path = "/instance-operations/terminate";
    const lacking = await asking(base(), reader.token)("POST", path, { instance_ids: [] });
    expect([lacking.status, shapeOf(lacking.body)]).toEqual([403, strictError]);
    await world.db.updateTable("tokens").set({ revoked_at: new Date() }).where("id", "=", reader.tokenId).execute();
    const over = await asking(base(), reader.token)("GET", "/instances");
    expect([over.status, shapeOf(over.body)]).toEqual([401, strictError]);
  });

  it("and whatever else this says to others, it says to them", async () => {
    const refused = await asking(base(), current)("GET", "/instances?limit=x");
    expect(refused.body).toMatchObject({ error: { request_id: expect.any(String) }, field_errors: { limit: {} } });
  });
});

describe("a pin", () => {
  it("leaves the lambda edition its words, paths and envelopes", async () => {
    const id = await launched();
    await world.put(id, "stopped");
    const ask = asking(http.lambda, pinned);
    expect((await ask("GET", `/instances/${id}`)).body).toMatchObject({ data: { status: "unhealthy" } });
    const renamed = await ask("POST", `/instances/${id}`, { name: "renamed" });
    expect([renamed.status, shapeOf(renamed.body)]).toEqual([200, { data: instance }]);
    expect((await ask("GET", "/regions")).body).toMatchObject({ data: [{ name: "north" }] });
  });

  it("does nothing in the other interfaces", async () => {
    for (const path of [`${http.marketplace}/instances?limit=x`, `${http.control}/tokens?limit=x`]) {
      const { body } = await http.call("GET", path, { token: pinned });
      expect(body).toMatchObject({ error: { request_id: expect.any(String) }, field_errors: { limit: {} } });
    }
    const types = (token: string) => http.call("GET", `${http.marketplace}/instance-types`, { token });
    expect((await types(pinned)).text).toBe((await types(current)).text);
  });

  it("is known for every operation whose answer has more than version 1.0.3", () => {
    // The fields that only the editions after 1.0.3 have, and instance types with descriptions of their GPUs.
    const more = /"(private_ip|jupyter_token|is_reserved|actions|gpu_description)":/;
    const unpinned: string[] = [];
    const look = (_path: string, { id, answer, pinned: cut }: { id: string; answer?: unknown; pinned?: unknown }) => {
      if (more.test(JSON.stringify(answer) ?? "") && cut === undefined) unpinned.push(id);
    };
    const declare = { get: look, stream: look, post: look, launch: look, put: look, patch: look, delete: look };
    // Of their context routes look at these settings only when they are declared.
    const config = { lambda: { restartReboots: true, terminatedVisibleSeconds: 0 } };
    lambda.routes({ context: { config } as HttpContext, ...declare } as unknown as Api);
    expect(unpinned).toEqual([]);
    expect([reference.pin, lambda.pin]).toEqual(["1.0.3", "1.0.3"]);
  });
});

describe("a read that is kept", () => {
  const reads = ["/instances", "/instance-types", "/ssh-keys"];
  const cases = everyEdition.flatMap(([name, base]) => reads.map((path) => [name, path, base] as const));

  it.each(cases)("in %s at %s is shown to each token in its own shape, whoever asked first", async (_, path, base) => {
    await launched();
    // With another address each time, which keeps it from being a kept response: `&` alone is no parameter.
    let address = `${base()}${path}?`;
    for (const tokens of [
      [current, pinned],
      [pinned, current],
    ]) {
      // A new account would ask nothing that is kept; a change forgets what is.
      await world.sshKey(principal);
      for (let again = 0; again < 3; again++) {
        for (const token of tokens) {
          const { status, text } = await http.call("GET", base() + path, { token });
          address += "&";
          const anew = await http.call("GET", address, { token });
          expect([status, text]).toEqual([200, anew.text]);
          expect(text.includes("jupyter_token")).toBe(
            base() === http.lambda && path === "/instances" && token === current,
          );
        }
      }
    }
  });

  it("has a tag of its own in each shape, and is 304 only to who has that shape", async () => {
    const id = await launched();
    for (const path of ["/instances", `/instances/${id}`, "/instance-types"]) {
      const url = http.lambda + path;
      const ask = async (token: string, tag = "") => {
        const answer = await http.call("GET", url, { token, headers: { "if-none-match": tag } });
        return { ...answer, etag: answer.headers.get("etag") ?? "" };
      };
      const [whole, cut] = [await ask(current), await ask(pinned)];
      expect(whole.etag).not.toBe(cut.etag);
      for (let again = 0; again < 2; again++) {
        expect(await ask(current, whole.etag)).toMatchObject({ status: 304, etag: whole.etag });
        expect(await ask(pinned, cut.etag)).toMatchObject({ status: 304, etag: cut.etag });
        expect(await ask(current, cut.etag)).toMatchObject({ status: 200, text: whole.text });
        expect(await ask(pinned, whole.etag)).toMatchObject({ status: 200, text: cut.text });
      }
    }
  });

  it("is shown in the other shape from the moment on in which its token has another pin", async () => {
    const { token, tokenId } = await http.customer({ principal });
    const url = `${http.lambda}/instances`;
    for (let again = 0; again < 2; again++) await http.call("GET", url, { token });
    await world.db.updateTable("tokens").set({ compatibility_version: "1.0.3" }).where("id", "=", tokenId).execute();
    expect((await http.call("GET", url, { token })).text).toBe((await http.call("GET", url, { token: pinned })).text);
  });
});

describe("a change that is repeated with its Idempotency-Key", () => {
  it.each([
    ["a pinned token first", () => [pinned, current]],
    ["one without a pin first", () => [current, pinned]],
  ] as const)("is answered to each token in its own shape: %s", async (_, tokens) => {
    const id = await launched();
    const key = world.fresh("once");
    const answers = new Map<string, CallResult>();
    for (const token of tokens()) {
      const headers = { "idempotency-key": key };
      const body = { instance_ids: [id] };
      answers.set(
        token,
        await http.call("POST", `${http.lambda}/instance-operations/terminate`, { token, body, headers }),
      );
    }
    expect(shapeOf(answers.get(pinned)?.body)).toEqual({ data: { terminated_instances: [instance] } });
    expect(answers.get(current)?.text).toContain("is_reserved");
    expect([...answers.values()].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
  });
});

describe("cutting an answer to a shape", () => {
  const shape: TObject = Type.Object({
    data: Type.Array(
      Type.Object({ id: Type.String(), ip: Type.String({ default: "" }), note: Type.Optional(Type.String()) }),
    ),
  });

  it("leaves out what the shape has not, at any depth, and puts in what it has by default", () => {
    const answer = {
      data: [
        { id: "1", more: { deep: 1 } },
        { id: "2", ip: "192.0.2.1", note: "kept" },
      ],
      beside: true,
    };
    expect(cutTo(shape, answer)).toEqual({
      data: [
        { id: "1", ip: "" },
        { id: "2", ip: "192.0.2.1", note: "kept" },
      ],
    });
  });

  it("changes nothing of what it is given", () => {
    const answer = { data: [{ id: "1", more: 1 }] };
    cutTo(shape, answer);
    expect(answer).toEqual({ data: [{ id: "1", more: 1 }] });
  });
});

describe("cutting an error", () => {
  const error = { code: "c", message: "a: Is wrong.", suggestion: "s", request_id: "r" };
  const problem = (message: string) => ({ code: "c", message });
  const messageOf = (body: Parameters<typeof cutError>[0]) => cutError(body).error.message;

  it("repeats no reason that the message gives already", () => {
    expect(messageOf({ error, field_errors: { a: problem("Is wrong.") } })).toBe("a: Is wrong.");
  });

  it("adds those that it does not give, each with its field", () => {
    const fields = { a: problem("Is one."), b: problem("Is two.") };
    expect(messageOf({ error: { ...error, message: "Some: a, b." }, field_errors: fields })).toBe(
      "Some: a, b. a: Is one. b: Is two.",
    );
  });

  it("leaves one without fields as it is, but for the request id", () => {
    const { request_id, ...rest } = error;
    expect(cutError({ error })).toEqual({ error: rest });
    expect(request_id).toBe("r");
  });
});
