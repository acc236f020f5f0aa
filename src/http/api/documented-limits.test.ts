// Limits that an operator sets: every document has those of its own service.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { InterfaceName } from "../../config/interfaces.ts";
import { loadConfig } from "../../config.ts";

let world: World;
let http: RunningHttp;
beforeAll(async () => {
  world = await makeWorld();
  const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
  http = await startHttp(world, { config: { limits: { ...limits, maxQuantity: 7 } } });
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

/** The schemas of every property and parameter that is called so, wherever it stands. */
function* schemasOf(name: RegExp, document: unknown): Iterable<{ maximum?: number }> {
  if (typeof document !== "object" || document === null) return;
  const { properties = {}, parameters = [] } = document as { properties?: object; parameters?: object[] };
  for (const [key, schema] of Object.entries(properties)) if (name.test(key)) yield schema;
  // A property may be called so too.
  const listed = Array.isArray(parameters) ? parameters : [];
  for (const one of listed as { name?: string; schema: object }[]) if (name.test(one.name ?? "")) yield one.schema;
  for (const inner of Object.values(document)) yield* schemasOf(name, inner);
}

it.each<[InterfaceName, number]>([
  ["marketplace", 1],
  ["direct", 0],
  ["reference", 1],
  ["lambda", 2],
  ["control", 4],
])("the document of %s has the largest quantity of a launch that is configured", async (of, places) => {
  const { body } = await http.call("GET", `${http[of]}/openapi.json`);
  const bounded = [...schemasOf(/^quantity$/i, body)].filter((schema) => "minimum" in schema);
  expect(bounded.map(({ maximum }) => maximum)).toEqual(Array.from({ length: places }, () => 7));
});
