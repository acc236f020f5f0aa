// What an interface ignores of a launch that another one knows, it says in a header.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let token: string;
let type: string;
beforeAll(async () => {
  world = await makeWorld();
  await world.host({ gpus: 8 });
  await world.image();
  type = (await world.product({ gpus: 1 })).name;
  http = await startHttp(world);
  token = (await http.customer()).token;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

async function ignored(url: string, body: object) {
  const { status, headers } = await http.call("POST", url, { token, body });
  return [status, headers.get("lessor-ignored-fields")];
}

describe("a launch with fields of another interface", () => {
  const inR = () => ({ instance_type_name: type, region_name: "any" });
  const inD = () => ({ productName: type, regionName: "any" });
  const r = () => `${http.reference}/instance-operations/launch`;
  const d = () => `${http.direct}/instance/launch`;

  it("goes through in R and in D, and names those that were ignored", async () => {
    const besides = { env_vars: { SECRET: "x" }, name: "one", quantity: 1 };
    expect(await ignored(r(), { ...inR(), ...besides, command: "id" })).toEqual([200, "env_vars, command"]);
    expect(await ignored(d(), { ...inD(), ...besides })).toEqual([202, "quantity, name, env_vars"]);
  });

  it("names them with a refusal too, and names no field that no interface knows", async () => {
    expect(await ignored(r(), { ...inR(), region_name: "nowhere", env_vars: {} })).toEqual([400, "env_vars"]);
    expect(await ignored(r(), { ...inR(), "bad\r\nname": 1, envVars: {} })).toEqual([200, null]);
    expect(await ignored(d(), inD())).toEqual([202, null]);
  });
});

it("all that the launches of other interfaces have are named, whichever they are", async () => {
  const named = { instance_type_name: type, region_name: "nowhere" };
  const launches = [
    { base: http.marketplace, path: operation, body: { ...named, ssh_key_names: [], quantity: 1 } },
    { base: http.direct, path: "/instance/launch", body: { productName: type, regionName: "nowhere" } },
    { base: http.reference, path: operation, body: named },
    { base: http.lambda, path: operation, body: named },
    { base: http.control, path: "/instances", body: { instance_type: type, region: "nowhere" } },
  ];
  const declared = await Promise.all(
    launches.map(async ({ base, path }) => {
      const { body } = await http.call("GET", `${base}/openapi.json`, { token });
      return launchFieldsOf(body as Document, path);
    }),
  );
  const known = [...new Set(declared.flat())].sort();
  expect(known.length).toBeGreaterThan(25);
  for (const [index, { base, path, body }] of launches.entries()) {
    const foreign = known.filter((name) => !declared[index]?.includes(name));
    const [status, header] = await ignored(
      `${base}${path}`,
      Object.assign(Object.fromEntries(foreign.map((name) => [name, null])), body),
    );
    expect([status, String(header).split(", ").sort()]).toEqual([400, foreign]);
  }
});

const operation = "/instance-operations/launch";

function launchFieldsOf(document: Document, path: string): string[] {
  const [operations] = Object.entries(document.paths).flatMap(([key, value]) => (key.endsWith(path) ? [value] : []));
  const schema = operations?.post?.requestBody?.content["application/json"].schema;
  return Object.keys((schema && resolved(document, schema).properties) ?? {});
}

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
}
interface Document {
  readonly paths: Record<string, { post?: { requestBody?: { content: { "application/json": { schema: Schema } } } } }>;
  readonly components?: { readonly schemas?: Record<string, Schema> };
}

/** Request bodies may stand under a name. */
function resolved({ components }: Document, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (components?.schemas?.[schema.$ref.split("/").at(-1) ?? ""] ?? {});
}
