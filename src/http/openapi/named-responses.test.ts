import { describe, expect, it } from "vitest";
import { nameResponses } from "./named-responses.ts";

const refusal = (...kinds: string[]) => ({
  description: kinds.join(),
  content: { "application/json": { examples: Object.fromEntries(kinds.map((kind) => [kind, { value: {} }])) } },
});
const success = { description: "Success.", content: { "application/json": { examples: { example: {} } } } };
const documentOf = (...responses: Record<string, object>[]) => ({
  openapi: "3.1.0",
  paths: Object.fromEntries(
    responses.map((one, index) => [`/${index}`, { get: { operationId: "x", responses: one } }]),
  ),
  components: { schemas: { Error: {} } },
});

describe("a refusal that several operations have", () => {
  it("stands once, called after its kinds, and is referred to everywhere", () => {
    const one = { 403: refusal("account-inactive", "forbidden") };
    const $ref = "#/components/responses/AccountInactiveOrForbidden";
    expect(nameResponses(documentOf(one, one))).toEqual({
      openapi: "3.1.0",
      paths: {
        "/0": { get: { operationId: "x", responses: { 403: { $ref } } } },
        "/1": { get: { operationId: "x", responses: { 403: { $ref } } } },
      },
      components: { schemas: { Error: {} }, responses: { AccountInactiveOrForbidden: one[403] } },
    });
  });

  it("is another with other kinds", () => {
    const document = documentOf({ 400: refusal("a") }, { 400: refusal("a", "b") }, { 400: refusal("a") });
    expect(nameResponses(document)).toMatchObject({
      paths: { "/1": { get: { responses: { 400: { description: "a,b" } } } } },
      components: { responses: { A: {} } },
    });
  });

  it("must be the same wherever it has the same kinds", () => {
    const other = { ...refusal("a"), description: "Other." };
    const document = documentOf({ 400: refusal("a") }, { 400: refusal("a") }, { 400: other }, { 400: other });
    expect(() => nameResponses(document)).toThrow("BUG");
  });
});

describe("what stays where it is", () => {
  it.each([
    ["a refusal of one operation", documentOf({ 402: refusal("spend-limit-exceeded") }, { 404: refusal("x") })],
    ["a success, also one like another", documentOf({ 200: success }, { 200: success })],
  ])("%s", (_, document) => {
    expect(nameResponses(document)).toEqual({ ...document, components: { ...document.components, responses: {} } });
  });
});
