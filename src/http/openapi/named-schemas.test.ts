import { describe, expect, it } from "vitest";
import { documented } from "./documented.ts";
import { nameSchemas } from "./named-schemas.ts";

const limits = { maxQuantity: 64 };
const key = { type: "object", title: "Key", properties: { name: { type: "string" } } };
const documentOf = (...schemas: object[]) => ({
  openapi: "3.1.0",
  info: { title: "Not a schema" },
  paths: Object.fromEntries(schemas.map((schema, index) => [`/${index}`, { get: { schema } }])),
  components: { securitySchemes: { token: {} } },
});

describe("a titled schema", () => {
  it("stands once, under its title and the suffix, and is referred to everywhere", () => {
    const named: object = nameSchemas(documentOf(key, { type: "array", items: key }), "V1", limits);
    expect(named).toMatchObject({
      paths: {
        "/0": { get: { schema: { $ref: "#/components/schemas/KeyV1" } } },
        "/1": { get: { schema: { type: "array", items: { $ref: "#/components/schemas/KeyV1" } } } },
      },
      components: {
        securitySchemes: { token: {} },
        schemas: { KeyV1: { type: "object", properties: { name: { type: "string" } } } },
      },
    });
  });

  it("may hold others", () => {
    const list = { type: "object", title: "Keys", properties: { data: { type: "array", items: key } } };
    expect(nameSchemas(documentOf(list), "", limits)).toMatchObject({
      components: {
        schemas: { Key: {}, Keys: { properties: { data: { items: { $ref: "#/components/schemas/Key" } } } } },
      },
    });
  });

  it("keeps at each place what only that place says", () => {
    const described = { ...key, description: "The new one." };
    expect(nameSchemas(documentOf(key, described), "", limits)).toMatchObject({
      paths: { "/1": { get: { schema: { $ref: "#/components/schemas/Key", description: "The new one." } } } },
    });
  });

  it("must be the same wherever it has the same title", () => {
    expect(() => nameSchemas(documentOf(key, { ...key, required: ["name"] }), "", limits)).toThrow("BUG");
  });
});

describe("an enumeration", () => {
  it("of texts is said to be of texts", () => {
    const named = nameSchemas(documentOf({ enum: ["a", "b"], description: "One." }), "", limits);
    expect(named.paths["/0"]).toEqual({ get: { schema: { type: "string", enum: ["a", "b"], description: "One." } } });
  });

  it("of anything else stays as it is, and so does one with a type", () => {
    const document = documentOf({ enum: [1, "b"] }, { type: ["string", "null"], enum: ["a", null] });
    expect(nameSchemas(document, "", limits).paths).toEqual(document.paths);
  });
});

describe("a titled enumeration", () => {
  it("stands once, as objects do", () => {
    const status = { enum: ["a", "b"], title: "Status" };
    const named: object = nameSchemas(documentOf(status, { type: "array", items: status }), "", limits);
    expect(named).toMatchObject({
      paths: { "/0": { get: { schema: { $ref: "#/components/schemas/Status" } } } },
      components: { schemas: { Status: { type: "string", enum: ["a", "b"] } } },
    });
  });
});

describe("a number", () => {
  it("is said to be as wide as it may be", () => {
    const wide = { type: "integer", maximum: 2 ** 40 };
    const { paths } = nameSchemas(documentOf({ type: "number" }, wide, { type: "integer", maximum: 5 }), "", limits);
    expect(Object.values(paths).map((path) => path.get.schema)).toEqual([
      { type: "number", format: "double" },
      { ...wide, format: "int64" },
      { type: "integer", maximum: 5 },
    ]);
  });
});

describe("what only the document says", () => {
  it("stands beside what is validated, and in the place of a union", () => {
    const union = { anyOf: [{ type: "string" }, { type: "array" }], description: "One." };
    const field = { type: "string", ...documented({ maxLength: 5 }) };
    const { paths } = nameSchemas(documentOf(field, { ...union, ...documented({ type: "string" }) }), "", limits);
    expect(Object.values(paths).map((path) => path.get.schema)).toEqual([
      { type: "string", maxLength: 5 },
      { type: "string", description: "One." },
    ]);
  });
});

describe("what is no titled schema", () => {
  it("stays as it is: untitled schemas, examples, properties called title, the document's own title", () => {
    const schema = {
      type: "object",
      properties: { title: { type: "string" } },
      example: { title: "x", type: "object" },
    };
    const document = documentOf(schema);
    expect(nameSchemas(document, "V1", limits)).toEqual({
      ...document,
      components: { ...document.components, schemas: {} },
    });
  });
});
