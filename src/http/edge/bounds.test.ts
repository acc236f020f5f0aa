// No body makes the service work long: whatever has many entries has a bound, and is refused before they are looked at.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp, variants } from "../../../test/support/http.ts";
import { type OpenApiDocument, resolved } from "../../../test/support/openapi.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let token: string;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  token = (await http.customer({ scopes: ["read", "write", "operator"] })).token;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const ask = (method: string, url: string, body: unknown) => http.call(method, url, { token, body });

const fieldErrors = (body: unknown) => (body as { field_errors?: object }).field_errors;

/** All schemas inside a schema, itself too. */
function* within(schema: unknown): Iterable<Record<string, unknown>> {
  if (typeof schema !== "object" || schema === null) return;
  yield schema as Record<string, unknown>; // an object that is no array has string keys
  for (const inner of Object.values(schema)) yield* within(inner);
}

describe("every request body that is published", () => {
  it.each(Object.keys(variants) as (keyof typeof variants)[])("of %s has a bound for all lists", async (name) => {
    const { body } = await http.call("GET", `${http[name]}/openapi.json`);
    const document = resolved(body as OpenApiDocument);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const bodies = operations.flatMap((operation) => (operation as { requestBody?: object }).requestBody ?? []);
    expect(bodies.length).toBeGreaterThan(2);
    const schemas = bodies.flatMap((one) => [...within(one)]);
    const lists = schemas.filter((schema) => schema.type === "array");
    expect(lists.filter((schema) => typeof schema.maxItems !== "number")).toEqual([]);
    expect(schemas.filter((schema) => "uniqueItems" in schema)).toEqual([]);
    const records = schemas.filter((schema) => typeof schema.patternProperties === "object");
    expect(records.filter((schema) => typeof schema.maxProperties !== "number")).toEqual([]);
  });
});

describe("a body of as many values as there may be", () => {
  const many = (count: number, entry: unknown) => Array.from({ length: count }, () => entry);
  const record = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
  const launch = { instance_type_name: "x", region_name: "any", ssh_key_names: [], quantity: 1 };

  it.each([
    ["scopes", "control", "POST", "/tokens", { name: "x", scopes: many(19_000, "write") }],
    ["instance_types", "control", "PUT", "/coupons/X", { instance_types: many(19_000, "a") }],
    ["unsupported_gpu_models", "control", "PUT", "/images/x", { unsupported_gpu_models: many(19_000, "a") }],
    ["gpus", "control", "PUT", "/hosts/x", { gpus: many(9000, {}) }],
    ["instance_uuids", "marketplace", "POST", "/instance-operations/stop", { instance_uuids: many(19_000, 1) }],
    ["env_vars", "marketplace", "POST", "/instance-operations/launch", { ...launch, env_vars: record(19_000, 1) }],
    ["sshKey", "direct", "POST", "/instance/launch", { sshKey: many(19_000, 1) }],
  ] as const)("of %s alone is refused at once", async (field, name, method, path, body) => {
    const sent = JSON.stringify(body);
    const start = performance.now();
    const answer = await ask(method, `${http[name]}${path}`, sent);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(answer.status).toBe(400);
    expect(fieldErrors(answer.body)).toEqual({
      [field]: {
        code: "global/invalid-parameters",
        message: expect.stringMatching(/^Must have at most \d+ entries\.$/),
      },
    });
  });

  it("and more is rejected before it is parsed, whatever it says", async () => {
    const order = JSON.stringify({ ...launch, env_vars: record(90_000, 1) });
    const start = performance.now();
    const { status, text } = await ask("POST", `${http.marketplace}/instance-operations/launch`, order);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(status).toBe(400);
    expect(text).toContain("more than 20000 values");
  });

  it("of deeply nested lists is refused at once", async () => {
    const nested = `${"[".repeat(30)}${"[],".repeat(340_000)}[]${"]".repeat(30)}`;
    const start = performance.now();
    const answer = await ask("POST", `${http.marketplace}/ssh-keys`, nested);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(answer.status).toBe(400);
  });
});

describe("env_vars", () => {
  const launch = (vars: string) =>
    ask(
      "POST",
      `${http.marketplace}/instance-operations/launch`,
      `{"instance_type_name":"x","region_name":"any","ssh_key_names":[],"quantity":1,"env_vars":${vars}}`,
    );

  it("are refused naming each bad key with its rule, texts that cannot be stored among them", async () => {
    const { status, body, text } = await launch(
      '{"PATH":"hidden","LD_X":"hidden","nul":"hidden\\u0000b","half":"hidden\\ud800"}',
    );
    expect(status).toBe(400);
    expect(fieldErrors(body)).toMatchObject({
      "env_vars.PATH": { message: expect.stringContaining("reserved") },
      "env_vars.LD_X": { message: expect.stringContaining("reserved") },
      "env_vars.nul": { message: expect.stringContaining("NUL") },
      "env_vars.half": { message: expect.stringContaining("surrogate") },
    });
    expect(text).not.toContain("hidden");
  });

  it.each([
    ['{"a\\u0000b":"x"}', ["env_vars.a\\u{0}b"]],
    ['{"\\ud800":"x","1":"y"}', ["env_vars.1", "env_vars.\\u{d800}"]],
    ['{"a\\u0000\\udfff":7}', ["env_vars.a\ufffd\ufffd"]],
    ['{"a\\nb":7}', ["env_vars.a\nb"]],
    ['{"a":{"\\ud800":"\\u0000"}}', ["env_vars.a"]],
    ['"\\u0000"', ["env_vars"]],
  ])("may be %s, and that is no defect", async (vars, fields) => {
    const { status, body } = await launch(vars);
    expect(status).toBe(400);
    expect(Object.keys(fieldErrors(body) ?? {})).toEqual(fields);
  });
});
