// Requests made from the published documents, near what they allow and far from it: no request makes a 5xx, and every
// answer is one that the document knows (client.ts). The same requests in every run; a failure names the smallest.

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { InterfaceName } from "../../src/config.ts";
import { examplePublicKey } from "../support/world.ts";
import { type PublishedOperation, publishedOperations, type Schema } from "./published.ts";
import { type Customer, coupons, images, regions, sceneOfFile, types } from "./scene.ts";
import { instanceIn } from "./states.ts";

const scene = sceneOfFile();
let ada: Customer;
/** What means something here; a request of such words gets far. */
const words: string[] = [];

beforeAll(async () => {
  ada = await scene.customer();
  for (const state of ["booting", "active", "stopped", "terminated"] as const) {
    words.push(await instanceIn(scene, ada, state));
  }
  const body = { name: "laptop", public_key: examplePublicKey };
  await scene.client.need("reference", "POST", "/ssh-keys", { token: ada.token, body });
  const fileSystem = { name: "data", region: regions.north, size_gb: 1 };
  await scene.control("POST", "/file-systems", fileSystem, { token: ada.token });
  const named = [types.cpu, types.l4, types.h100, "any", regions.north, "laptop", "data", coupons.ten, coupons.expired];
  words.push(...named, images.second, examplePublicKey, "active", "rented", "PATH", "TOKEN");
});

const hostile = fc.constantFrom(
  "",
  " ",
  "\0",
  "\ud800",
  "a\nb",
  "%",
  "../..",
  "'; drop table instances; --",
  "__proto__",
  "constructor",
  "-----BEGIN OPENSSH PRIVATE KEY-----",
  "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d",
  "x".repeat(5000),
  "\u{1f600}",
  "NaN",
);

const text = () =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...words) }, hostile, fc.string({ unit: "binary" }));
const integer = () =>
  fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer(),
    fc.constantFrom(-1, 64, 65, 1.5, 1e9, 1e308, 2 ** 31, 2 ** 53),
  );
const anything = () => fc.oneof(fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), text(), integer());

/** Mostly what the schema allows, sometimes anything. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: within(schema) }, { weight: 1, arbitrary: anything() });
}

function within(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(near));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return text();
    case "integer":
    case "number":
      return integer();
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(near(schema.items ?? {}), { maxLength: 4 });
    case "object":
      return object(schema);
    default:
      return anything();
  }
}

function object({ properties, required = [], patternProperties }: Schema): fc.Arbitrary<unknown> {
  if (properties === undefined) {
    const [value] = Object.values(patternProperties ?? {});
    return fc.dictionary(text(), near(value ?? {}), { maxKeys: 70 });
  }
  const fields = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, near(schema)])),
    { requiredKeys: required.filter((name) => name in properties) },
  );
  return fc
    .tuple(fields, fc.dictionary(text(), anything(), { maxKeys: 1 }))
    .map(([own, more]) => ({ ...more, ...own }));
}

interface Generated {
  readonly operation: PublishedOperation;
  readonly path: string;
  readonly body: unknown;
  readonly key: string | undefined;
}

function requests(operations: readonly PublishedOperation[]): fc.Arbitrary<Generated> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: fc
        .tuple(fc.array(text(), { minLength: 3, maxLength: 3 }), query(operation))
        .map(([values, pairs]) => pathOf(operation, values) + pairs),
      body: operation.body === undefined ? fc.constant(undefined) : near(operation.body.schema),
      key: fc.option(fc.constantFrom("k1", "k2", '"k1"', "not a key", "k".repeat(300)), { nil: undefined, freq: 4 }),
    }),
  );
}

function pathOf({ path }: PublishedOperation, values: readonly string[]): string {
  let next = 0;
  return path.replace(/\{[^}]+\}/g, () => {
    const value = values[next++]?.toWellFormed() ?? "";
    // An empty part, or one of dots, is another path.
    return encodeURIComponent(/^\.*$/.test(value) ? "x" : value.slice(0, 1000)).replaceAll("%2F", "-");
  });
}

function query({ query: parameters }: PublishedOperation): fc.Arbitrary<string> {
  const names = fc.constantFrom("limit", "cursor", "status", "region", ...Object.keys(parameters));
  const value = fc.oneof(text(), integer().map(String), fc.constantFrom("%", "%ff"));
  return fc.array(fc.tuple(names, value), { maxLength: 2 }).map((pairs) => {
    const written = pairs.map(
      ([name, one]) => `${name}=${one.startsWith("%") ? one : encodeURIComponent(one.toWellFormed())}`,
    );
    return written.length === 0 ? "" : `?${written.join("&")}`;
  });
}

const names = ["marketplace", "direct", "reference"] as const satisfies InterfaceName[];

describe.each(names)("generated requests to %s", (name) => {
  it("never make a 5xx, and get answers that the document knows", async () => {
    let good = 0;
    let refused = 0;
    const property = fc.asyncProperty(requests(publishedOperations(scene.client, name)), async (one) => {
      const headers = one.key === undefined ? {} : { "idempotency-key": one.key };
      const options = { token: ada.token, body: JSON.stringify(one.body), headers };
      const { status } = await scene.client.ask(name, one.operation.method, one.path, options);
      if (status < 400) good += 1;
      else refused += 1;
    });
    await fc.assert(property, { numRuns: 400, seed: 20_260_301 });
    // Some got through, and some did not: else only the doorman was tried, or nothing was.
    expect(good).toBeGreaterThan(40);
    expect(refused).toBeGreaterThan(40);
  });
});
