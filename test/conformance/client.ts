// The one client of this suite: real HTTP, and every answer is held against the OpenAPI document that its interface
// publishes (an undocumented status or shape fails the test), against the one error body, and for its X-Request-Id. Behind
// Prism (npm run test:prism) requests to an interface's own address go through that, which holds them against it too.

import { expect } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { callThrough } from "../prism/through.ts";
import { type CallOptions, type CallResult, call } from "../support/http.ts";
import { expectDocumented, type OpenApiDocument, resolved } from "../support/openapi.ts";

export interface Ask extends CallOptions {
  /** Another base address than the interface's own. */
  readonly base?: string | undefined;
  /** A 5xx is what the test is about. */
  readonly failing?: boolean;
}

export type Bases = Readonly<Record<InterfaceName, string>>;

export class Client {
  readonly bases: Bases;
  readonly documents: Readonly<Record<InterfaceName, OpenApiDocument>>;

  private constructor(bases: Bases, documents: Readonly<Record<InterfaceName, OpenApiDocument>>) {
    this.bases = bases;
    this.documents = documents;
  }

  static async open(bases: Bases): Promise<Client> {
    const read = async (base: string) => {
      const { status, body } = await call("GET", `${base}/openapi.json`);
      expect(status).toBe(200);
      return resolved(body as OpenApiDocument); // held to be one by the tests of src/http/openapi
    };
    const documents = {
      marketplace: await read(bases.marketplace),
      direct: await read(bases.direct),
      reference: await read(bases.reference),
      lambda: await read(bases.lambda),
      control: await read(bases.control),
    };
    return new Client(bases, documents);
  }

  /** One request to a documented operation; `path` is below the interface's prefix. */
  async ask(name: InterfaceName, method: string, path: string, options: Ask = {}): Promise<CallResult> {
    const result = await callThrough(name, options.base ?? this.bases[name], method, path, options);
    const what = `${name}: ${method} ${path.slice(0, 200)}`;
    if (options.failing !== true && result.status >= 500) expect.fail(`${what}: ${result.status} ${result.text}`);
    expectDocumented(this.documents[name], method, path, result.status, result.body);
    expectManners(what, result);
    return result;
  }

  /** As `ask`, and the answer has to be a success; gives its body. */
  async need(name: InterfaceName, method: string, path: string, options: Ask = {}): Promise<unknown> {
    const result = await this.ask(name, method, path, options);
    expect(result.status, `${method} ${path}: ${result.text}`).toBeLessThan(300);
    return result.body;
  }

  /** A request to no documented operation (unknown path, wrong method, a path that cannot be read): an error body. */
  async stray(name: InterfaceName, method: string, path: string, options: Ask = {}): Promise<CallResult> {
    const result = await call(method, `${options.base ?? this.bases[name]}${path}`, options);
    expectManners(`${name}: ${method} ${path.slice(0, 200)}`, result);
    return result;
  }

  /** Every operation of an interface, such as `["GET", "/instances/{uuid}"]`. */
  operations(name: InterfaceName): (readonly [method: string, path: string])[] {
    return Object.entries(this.documents[name].paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
  }
}

/** What holds for every answer there is. */
export function expectManners(what: string, { status, headers, body }: CallResult): void {
  const requestId = headers.get("x-request-id");
  expect(requestId, `${what} has a request id`).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  if (status < 400) return;
  expect(headers.get("content-type"), what).toBe("application/json; charset=utf-8");
  const fields = at(body, "field_errors");
  const texts = { code: expect.any(String), message: expect.any(String) };
  const error = { ...texts, suggestion: expect.any(String), request_id: requestId };
  const hasDueError =
    hasTexts(at(body, "error"), ["code", "message", "request_id", "suggestion"]) &&
    at(body, "error", "request_id") === requestId &&
    Object.keys(body as object).length === (fields === undefined ? 1 : 2);
  // To compare so takes ten times as long, and says what differs.
  if (!hasDueError) expect(body, what).toEqual({ error, ...(fields === undefined ? {} : { field_errors: fields }) });
  if (fields === undefined) return;
  expect(Object.keys(fields as object).length, `${what}: field_errors only when there are some`).toBeGreaterThan(0);
  for (const field of Object.values(fields as object)) {
    if (!hasTexts(field, ["code", "message"])) expect(field, what).toEqual(texts);
  }
}

/** Whether it has these members, which are texts, and no other. */
function hasTexts(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  const members = Object.entries(value);
  return (
    members.length === names.length && members.every(([name, text]) => names.includes(name) && typeof text === "string")
  );
}

/** What is at a place inside a parsed body; undefined where there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inside = value;
  for (const step of path) {
    if (typeof inside !== "object" || inside === null) return undefined;
    inside = (inside as Record<string | number, unknown>)[step];
  }
  return inside;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== "string") throw new Error(`no text at ${path.join(".")} of ${JSON.stringify(value)}`);
  return found;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): unknown[] {
  const found = at(value, ...path);
  if (!Array.isArray(found)) throw new Error(`no list at ${path.join(".")} of ${JSON.stringify(value)}`);
  return found;
}

/** The wire code of an error answer. */
export function codeOf({ body }: CallResult): unknown {
  return at(body, "error", "code");
}

/** The fields that an error answer complains about, in alphabetical order. */
export function fieldsOf({ body }: CallResult): string[] {
  return Object.keys((at(body, "field_errors") as object | undefined) ?? {}).sort();
}
