// Rules for the OpenAPI documents that no linter has, from what generators of clients make of a document that breaks them:
// a type for each place where a shape is repeated, numbers of 32 bits, two functions of one name, errors that are none.

import { describe, expect, it } from "vitest";
import { publishedDocument } from "../../docs/openapi.ts";
import { interfaceNames } from "../../src/config/interfaces.ts";
import { type Node, nodesOf, operationsOf, type Published, shapeOf } from "./reading.ts";

const documents = await Promise.all(
  interfaceNames.map(async (name) => [name, JSON.parse(await publishedDocument(name)) as Published] as const),
);

describe.each(documents)("the document of %s", (_, document) => {
  it("names every body of a request and of a response", () => {
    const unnamed = operationsOf(document).flatMap(({ operationId, requestBody, responses }) => {
      const successes = Object.entries(responses).filter(([status]) => status < "300");
      return [["request", requestBody] as const, ...successes].flatMap(([where, body]) => {
        const schema = body?.content?.["application/json"]?.schema;
        return schema === undefined || "$ref" in schema ? [] : [`${operationId}: ${where}`];
      });
    });
    expect(unnamed).toEqual([]);
  });

  it("names every object and enumeration that stands in several places", () => {
    const places = new Map<string, string[]>();
    for (const { path, node, isNamed } of nodesOf(document)) {
      // That of a header that says one thing is no type of anybody's.
      if (!(node.properties !== undefined || node.enum !== undefined) || path.includes("/headers/")) continue;
      const shape = shapeOf(node);
      places.set(shape, [...(places.get(shape) ?? []), ...(isNamed ? [] : [path])]);
    }
    const named = new Set(nodesOf(document).flatMap(({ node, isNamed }) => (isNamed ? [shapeOf(node)] : [])));
    const repeated = [...places].filter(([shape, at]) => at.length > (named.has(shape) ? 0 : 1));
    expect(repeated.map(([, at]) => at)).toEqual([]);
  });

  it("has operation ids and names of shapes that differ not by case only", () => {
    const ids = operationsOf(document).map(({ operationId }) => operationId);
    for (const names of [ids, Object.keys(document.components.schemas)]) {
      const byFolded = Map.groupBy(names, (name) => name.toLowerCase());
      expect([...byFolded.values()].filter((alike) => alike.length > 1)).toEqual([]);
    }
  });

  it("has successes and errors, and nothing that generators take for an error without one", () => {
    const statuses = operationsOf(document).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => [operationId, status]),
    );
    expect(statuses.filter(([, status = ""]) => !/^(200|202|[45]\d\d)$/.test(status))).toEqual([]);
  });

  it("has no union but with null", () => {
    const unions = [...nodesOf(document)].filter(({ node }) => {
      const alternatives = node.anyOf ?? node.oneOf ?? [];
      return alternatives.filter(({ type }) => type !== "null").length > 1 || Array.isArray(node.type);
    });
    expect(unions.map(({ path }) => path)).toEqual([]);
  });

  it("says how wide its numbers are", () => {
    const vague = [...nodesOf(document)].filter(({ node: { type, format, maximum = 0 } }) => {
      const isWide = type === "integer" && maximum > 2 ** 31 - 1;
      return (type === "number" && format !== "double") || (isWide && format !== "int64");
    });
    expect(vague.map(({ path }) => path)).toEqual([]);
  });
});

/** Free texts that are only looked for: what nothing is called finds nothing. */
const unlimited = new Set(["listAuditLog: query object"]);

describe.each(documents)("requests in the document of %s", (_, document) => {
  it("have a limit for every text, number and list", () => {
    const missing = operationsOf(document).flatMap(({ operationId, parameters = [], requestBody }) => {
      const body = requestBody?.content?.["application/json"]?.schema;
      const inBody = body === undefined ? [] : [...unlimitedIn(document, body, "body")];
      const inParameters = parameters.flatMap((one) => [...unlimitedIn(document, one.schema, `${one.in} ${one.name}`)]);
      return [...inParameters, ...inBody].map((path) => `${operationId}: ${path}`);
    });
    expect(missing.filter((one) => !unlimited.has(one))).toEqual([]);
  });
});

/** Where a value of this schema may be as long or as large as it likes. */
function* unlimitedIn(document: Published, node: Node, path: string): Iterable<string> {
  const { type, anyOf, properties, additionalProperties, items } = node;
  if (node.$ref !== undefined) {
    const named = document.components.schemas[node.$ref.replace("#/components/schemas/", "")];
    if (named === undefined) throw new Error(`the document refers to ${node.$ref}, which it does not have`);
    yield* unlimitedIn(document, named, path);
  }
  for (const one of anyOf ?? []) yield* unlimitedIn(document, one, path);
  for (const [name, one] of Object.entries(properties ?? {})) yield* unlimitedIn(document, one, `${path}.${name}`);
  if (typeof additionalProperties === "object") {
    if (node.maxProperties === undefined || node.propertyNames?.pattern === undefined) yield path;
    yield* unlimitedIn(document, additionalProperties, `${path}.*`);
  }
  if (items !== undefined) yield* unlimitedIn(document, items, `${path}[]`);
  const isLimited = [node.enum, node.const, node.format, node.pattern, node.maxLength].some((one) => one !== undefined);
  if (type === "string" && !isLimited) yield path;
  if (type === "array" && node.maxItems === undefined) yield path;
  const isNumber = type === "integer" || type === "number";
  if (isNumber && (node.minimum === undefined || node.maximum === undefined)) yield path;
}

it("variant D's password is an integer of 64 bits", () => {
  const direct = new Map(documents).get("direct");
  for (const name of ["Instance", "ListedInstance"]) {
    const password = direct?.components.schemas[name]?.properties?.password;
    expect(password, name).toMatchObject({
      type: "integer",
      format: "int64",
      minimum: 0,
      maximum: 999_999_999_999_999,
    });
  }
});
