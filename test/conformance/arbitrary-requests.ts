// Requests made from a published document with fast-check, near what it allows: mostly values that the schemas take,
// made of words that mean something in the scene, and now and then anything at all. Used by generated.test.ts, and by
// the proof with hundreds of thousands of them in test/crash.

import { fc } from "../support/properties.ts";
import type { PublishedOperation, Schema } from "./published.ts";

export interface Generated {
  readonly operation: PublishedOperation;
  /** With its query. */
  readonly path: string;
  /** To be sent as JSON; undefined: no body. */
  readonly body: unknown;
  /** For the header Idempotency-Key. */
  readonly key: string | undefined;
}

/** Texts that services have stumbled over. */
export const hostileTexts: readonly string[] = [
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
];

/** Numbers at the edges of what programs and databases can hold. */
export const edgeNumbers: readonly number[] = [-1, 64, 65, 1.5, 1e9, 1e308, 2 ** 31, 2 ** 53];

/** Arbitraries over words, which are looked up when a value is made: they may be others each time. */
export class Vocabulary {
  readonly #words: () => readonly string[];

  constructor(words: () => readonly string[]) {
    this.#words = words;
  }

  word(): fc.Arbitrary<string> {
    return fc.nat().map((index) => {
      const words = this.#words();
      return words[index % words.length] ?? "";
    });
  }

  /** A word that is a UUID; any word where none is. */
  identifier(): fc.Arbitrary<string> {
    return fc.nat().map((index) => {
      const words = this.#words();
      const identifiers = words.filter(isUuid);
      const some = identifiers.length > 0 ? identifiers : words;
      return some[index % some.length] ?? "";
    });
  }

  text(): fc.Arbitrary<string> {
    return fc.oneof(
      { weight: 5, arbitrary: this.word() },
      fc.constantFrom(...hostileTexts),
      fc.string({ unit: "binary" }),
    );
  }

  anything(): fc.Arbitrary<unknown> {
    return fc.oneof(fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }), this.text(), integer());
  }

  /** Mostly what the schema allows, sometimes anything. */
  near(schema: Schema): fc.Arbitrary<unknown> {
    return fc.oneof({ weight: 12, arbitrary: this.#within(schema) }, { weight: 1, arbitrary: this.anything() });
  }

  /** Operations in turn at random, each with a path, a query and a body near what it allows. */
  requests(operations: readonly PublishedOperation[]): fc.Arbitrary<Generated> {
    const keys = fc.constantFrom("k1", "k2", '"k1"', "not a key", "k".repeat(300));
    return fc.oneof(
      ...operations.map((operation) =>
        fc.record({
          operation: fc.constant(operation),
          path: this.path(operation),
          body: operation.body === undefined ? fc.constant(undefined) : this.near(operation.body.schema),
          key: fc.option(keys, { nil: undefined, freq: 4 }),
        }),
      ),
    );
  }

  path(operation: PublishedOperation): fc.Arbitrary<string> {
    return fc
      .tuple(fc.array(this.text(), { minLength: 3, maxLength: 3 }), this.#query(operation))
      .map(([values, pairs]) => filled(operation.path, values) + pairs);
  }

  #query({ query: parameters }: PublishedOperation): fc.Arbitrary<string> {
    const names = fc.constantFrom("limit", "cursor", "status", "region", ...Object.keys(parameters));
    const value = fc.oneof(this.text(), integer().map(String), fc.constantFrom("%", "%ff"));
    return fc.array(fc.tuple(names, value), { maxLength: 2 }).map((pairs) => {
      const written = pairs.map(
        ([name, one]) => `${name}=${one.startsWith("%") ? one : encodeURIComponent(one.toWellFormed())}`,
      );
      return written.length === 0 ? "" : `?${written.join("&")}`;
    });
  }

  #within(schema: Schema): fc.Arbitrary<unknown> {
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => this.near(one)));
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    switch (schema.type) {
      case "string":
        return this.text();
      case "integer":
      case "number":
        return integer();
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return fc.array(this.near(schema.items ?? {}), { maxLength: 4 });
      case "object":
        return this.#object(schema);
      default:
        return this.anything();
    }
  }

  #object({ properties, required = [], patternProperties }: Schema): fc.Arbitrary<unknown> {
    if (properties === undefined) {
      const [value] = Object.values(patternProperties ?? {});
      return fc.dictionary(this.text(), this.near(value ?? {}), { maxKeys: 70 });
    }
    const fields = fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, this.near(schema)])),
      { requiredKeys: required.filter((name) => name in properties) },
    );
    return fc
      .tuple(fields, fc.dictionary(this.text(), this.anything(), { maxKeys: 1 }))
      .map(([own, more]) => ({ ...more, ...own }));
  }
}

function integer(): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer(), fc.constantFrom(...edgeNumbers));
}

export function isUuid(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

/** The path with `values` in the places of its parameters. */
export function filled(template: string, values: readonly string[]): string {
  let next = 0;
  return template.replace(/\{[^}]+\}/g, () => {
    const value = values[next++]?.toWellFormed() ?? "";
    // An empty part, or one of dots, is another path.
    return encodeURIComponent(/^\.*$/.test(value) ? "x" : value.slice(0, 1000)).replaceAll("%2F", "-");
  });
}
