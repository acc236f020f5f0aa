// What an interface ignores of a launch that another one knows, it says in a header.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { launchFields } from "./foreign-fields.ts";

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

it("the fields of launches are those of all documents", async () => {
  const known = new Set<string>();
  const launches = { "/instance-operations/launch": 3, "/instance/launch": 1, "/instances": 1 };
  const found = Object.fromEntries(Object.keys(launches).map((path) => [path, 0]));
  for (const base of [http.marketplace, http.direct, http.reference, http.lambda, http.control]) {
    const { body } = await http.call("GET", `${base}/openapi.json`, { token });
    for (const [path, operations] of Object.entries((body as Document).paths)) {
      const launch = Object.keys(launches).find((one) => path.endsWith(one));
      const schema = launch && operations.post?.requestBody?.content["application/json"].schema;
      if (launch === undefined || schema === undefined || schema === "") continue;
      found[launch] = (found[launch] ?? 0) + 1;
      const { properties } = resolved(body as Document, schema);
      for (const name of Object.keys(properties ?? {})) known.add(name);
    }
  }
  expect(found).toEqual(launches);
  expect([...known].sort()).toEqual([...launchFields].sort());
});

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
