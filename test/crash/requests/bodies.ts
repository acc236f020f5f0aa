// Bodies from a schema: such as it allows, the same with one field broken, with one field at the edge of what is allowed,
// and such as nobody sends in good faith. All of them text or bytes, ready for the wire.

import { edgeNumbers, hostileTexts, isUuid, type Vocabulary } from "../../conformance/arbitrary-requests.ts";
import type { PublishedOperation, Schema } from "../../conformance/published.ts";
import { fc } from "../../support/properties.ts";

type Fields = Readonly<Record<string, unknown>>;
type Body = NonNullable<PublishedOperation["body"]>;

/** As the document's own example, most fields of it, some with another value that the schema allows. */
export function validFields({ schema, example }: Body, words: Vocabulary): fc.Arbitrary<Fields> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => {
    const allowed = allowedValue(one, words);
    const shown = example[name];
    const value = shown === undefined ? allowed : fc.oneof({ weight: 4, arbitrary: asShown(shown, words) }, allowed);
    return [name, value] as const;
  });
  const requiredKeys = (schema.required ?? []).filter((name) => name in (schema.properties ?? {}));
  return fc.record(Object.fromEntries(fields), { requiredKeys });
}

/** What the example shows; an identifier of something that is here in the place of a made-up one. */
function asShown(shown: unknown, words: Vocabulary): fc.Arbitrary<unknown> {
  if (isUuid(shown)) return words.identifier();
  if (Array.isArray(shown) && shown.some(isUuid)) return fc.array(words.identifier(), { minLength: 1, maxLength: 2 });
  return fc.constant(typeof shown === "string" ? nowhere(shown) : shown);
}

/** A proof calls nobody: what would be delivered to a name that exists goes to one that never will. */
function nowhere(text: string): string {
  return text.replace(/^https:\/\/[^/]+/, "https://hooks.invalid");
}

/** One field is left out, of another type, called otherwise, or one too many. */
export function brokenFields(body: Body, words: Vocabulary): fc.Arbitrary<Fields> {
  const names = Object.keys(body.schema.properties ?? {});
  const name = fc.constantFrom(
    ...names,
    "unknown",
    "__proto__",
    "constructor",
    "id",
    "account_id",
    "principal",
    "state",
  );
  const how = fc.oneof(
    fc.constant((fields: Fields, one: string) => without(fields, one)),
    fc.constant((fields: Fields, one: string) => ({ ...without(fields, one), [one.toUpperCase()]: fields[one] })),
    words.anything().map((value) => (fields: Fields, one: string) => ({ ...fields, [one]: value })),
    // One text alone, so that nothing else keeps it from going as far as it can.
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(...hostileTexts)
        .map((text) => (fields: Fields, one: string) => ({ ...fields, [one]: swappedValue(fields[one] ?? "", text) })),
    },
    fc.constant((fields: Fields, one: string) => ({ ...fields, [one]: [fields[one]] })),
    fc.constant((fields: Fields, one: string) => ({ ...fields, [one]: { [one]: fields[one] } })),
    fc.constant((fields: Fields, one: string) => ({ ...fields, [one]: JSON.stringify(fields[one]) })),
  );
  return fc.tuple(validFields(body, words), name, how).map(([fields, one, change]) => change(fields, one));
}

/** One field has a value at or just past a bound of its schema. */
export function edgeFields(body: Body, words: Vocabulary): fc.Arbitrary<Fields> {
  const edges = Object.entries(body.schema.properties ?? {}).flatMap(([name, schema]) =>
    edgesOf(schema).map((value) => ({ [name]: value })),
  );
  const edge = edges.length === 0 ? fc.constant({}) : fc.constantFrom(...edges);
  return fc.tuple(validFields(body, words), edge).map(([fields, one]) => ({ ...fields, ...one }));
}

/** No JSON, not quite JSON, or JSON that is meant to hurt. */
export function hostileBodies(body: Body, words: Vocabulary): fc.Arbitrary<string | Buffer> {
  const change = fc.constantFrom(...changes);
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(validFields(body, words), change).map(([fields, one]) => one(fields)) },
    { weight: 3, arbitrary: fc.constantFrom(...unreadable) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.json({ maxDepth: 3, stringUnit: "binary" }) },
  );
}

function allowedValue(schema: Schema, words: Vocabulary): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => allowedValue(one, words)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return allowedText(schema, words);
    case "integer":
    case "number":
      return allowedNumber(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(allowedValue(schema.items ?? {}, words), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case "object":
      return allowedObject(schema, words);
    default:
      return words.word();
  }
}

function allowedNumber({ minimum = 0, maximum = 1000 }: Schema): fc.Arbitrary<number> {
  const least = Math.ceil(minimum);
  const small = fc.integer({ min: least, max: Math.max(least, Math.min(Math.floor(maximum), least + 5)) });
  return fc.oneof({ weight: 3, arbitrary: small }, fc.constantFrom(minimum, maximum));
}

function allowedText({ format, examples = [], minLength = 0, maxLength = 100 }: Schema, words: Vocabulary) {
  if (format === "date-time") return fc.constantFrom("2099-12-31T23:59:59.000Z", "2020-01-01T00:00:00.000Z");
  const shown = examples.filter((one) => typeof one === "string").map(nowhere);
  return fc.oneof(
    { weight: 3, arbitrary: words.word() },
    ...(shown.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...shown) }] : []),
    { weight: 1, arbitrary: fc.nat({ max: 30 }).map((n) => `n${n}`.padEnd(minLength, "x").slice(0, maxLength)) },
  );
}

function allowedObject({ properties, required = [], patternProperties }: Schema, words: Vocabulary) {
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(([name, one]) => [name, allowedValue(one, words)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: required.filter((name) => name in properties) });
  }
  const [value] = Object.values(patternProperties ?? {});
  const names = fc.nat({ max: 20 }).map((n) => `NAME_${n}`);
  return fc.dictionary(names, allowedValue(value ?? { type: "string" }, words), { maxKeys: 5 });
}

function edgesOf(schema: Schema): unknown[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(edgesOf);
  switch (schema.type) {
    case "string": {
      const lengths = [schema.minLength ?? 0, schema.maxLength ?? 64, 255, 4096].flatMap((n) => [n - 1, n, n + 1]);
      return [
        ...lengths.map((n) => "x".repeat(Math.max(0, n))),
        "\u{1f600}".repeat(schema.maxLength ?? 64),
        " x",
        "x ",
      ];
    }
    case "integer":
    case "number": {
      const { minimum = 0, maximum = 2 ** 31 - 1 } = schema;
      return [...[minimum, maximum].flatMap((n) => [n - 1, n, n + 1]), ...edgeNumbers, 0.5, Number.MIN_SAFE_INTEGER];
    }
    case "array": {
      const item = (schema.items?.examples ?? ["x"])[0];
      return [0, 1, schema.maxItems ?? 64, (schema.maxItems ?? 64) + 1, 1001].map((n) => Array(n).fill(item));
    }
    case "object":
      return [{}, Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`K${n}`, "v"])), { "": "" }, { "a b": "c" }];
    default:
      return [null, [], {}];
  }
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...rest } = fields;
  return rest;
}

/** What can be done to a body that was good. */
const changes: readonly ((fields: Fields) => string | Buffer)[] = [
  (fields) => JSON.stringify(fields).slice(0, -1),
  (fields) => JSON.stringify(fields).repeat(2),
  (fields) => `\ufeff${JSON.stringify(fields)}`,
  (fields) => Buffer.from(JSON.stringify(fields), "utf16le"),
  (fields) => Buffer.from(JSON.stringify(fields).replace(/[a-z]/, "\u00ff"), "latin1"),
  (fields) => JSON.stringify(fields).replaceAll(/"[^"]{1,40}"(?=[,}\]])/g, '"\\u0000"'),
  (fields) => JSON.stringify(fields).replaceAll(/"[^"]{1,40}"(?=[,}\]])/g, '"\\ud800"'),
  (fields) => JSON.stringify(fields).replaceAll(/:(\d+)/g, ":1e999"),
  (fields) => JSON.stringify(fields).replaceAll(/:(\d+)/g, `:${"9".repeat(400)}`),
  (fields) => JSON.stringify(fields).replaceAll(/:(\d+)/g, ":-0"),
  (fields) => JSON.stringify(fields).replaceAll(/:(\d+)/g, ":$1.0"),
  (fields) => `{"__proto__":${JSON.stringify(fields)}}`,
  (fields) => `{"constructor":{"prototype":${JSON.stringify(fields)}}}`,
  // The same key twice: the last one counts, and a filter that read the first is fooled.
  (fields) =>
    `${JSON.stringify(fields).slice(0, -1)}${Object.keys(fields).length > 0 ? "," : ""}"name":"a","name":"b"}`,
  (fields) => JSON.stringify([fields]),
  (fields) => JSON.stringify(JSON.stringify(fields)),
  (fields) => `${" ".repeat(5000)}${JSON.stringify(fields)}\n\n`,
  (fields) => JSON.stringify(swapped(fields, "'; drop table instances; --")),
  (fields) => JSON.stringify(swapped(fields, "' or '1'='1")),
  (fields) => JSON.stringify(swapped(fields, "$(reboot)`id`;\n|cat /etc/passwd")),
  (fields) => JSON.stringify(swapped(fields, "{{7*7}}#{7*7}<%= 7*7 %>")),
  (fields) => JSON.stringify(swapped(fields, "<script>alert(1)</script>")),
  (fields) => JSON.stringify(swapped(fields, "a\r\nSet-Cookie: x=1")),
  (fields) => JSON.stringify(swapped(fields, "../../../../etc/passwd\u202e\u200b")),
  (fields) => JSON.stringify(swapped(fields, `{"a":1}`)),
  ...hostileTexts.map((text) => (fields: Fields) => JSON.stringify(swapped(fields, text))),
  ...[31, 32, 33, 1000].map(
    (depth) => (fields: Fields) =>
      JSON.stringify({ ...fields, deep: 0 }).replace('"deep":0', `"deep":${"[".repeat(depth)}${"]".repeat(depth)}`),
  ),
];

/** The first text in every field that has one. */
function swapped(fields: Fields, text: string): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, swappedValue(value, text)]));
}

function swappedValue(value: unknown, text: string): unknown {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return value.map((one) => swappedValue(one, text));
  if (typeof value === "object" && value !== null) return swapped(value as Fields, text);
  return value;
}

const unreadable: readonly (string | Buffer)[] = [
  "null",
  "5",
  "true",
  '"x"',
  "[]",
  "{}",
  "{} // x",
  "NaN",
  "undefined",
  "{'a':1}",
  '{"a":1,}',
  "name=x&public_key=y",
  "<a/>",
  "\0",
  '{"a":',
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  '{"a":'.repeat(20_000),
  `"${"\\u0000".repeat(1000)}"`,
  `{"${"k".repeat(70_000)}":1}`,
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
];
