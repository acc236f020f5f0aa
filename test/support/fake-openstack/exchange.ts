// A request to one of the fake's services, and what it answers, with the bodies that the real services (Zed) give errors.

import { randomUUID } from "node:crypto";
import type { Fault } from "./faults.ts";
import type { FakeToken } from "./identity.ts";

export type FakeService = "identity" | "compute" | "network" | "image" | "placement" | "volume";

export type Json = Readonly<Record<string, unknown>>;

export interface FakeRequest {
  readonly service: FakeService;
  /** The region whose endpoint it came to. */
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** A request whose token holds, with the microversion that it asks for. */
export interface FakeCall extends FakeRequest {
  readonly caller: FakeToken;
  /** The number behind "2." of Nova, "1." of Placement and "3." of Cinder. */
  readonly version: number;
  /** The body, if it is JSON. */
  readonly json: Json;
  /** Where the service is, such as http://127.0.0.1:1234. */
  readonly base: string;
  /** What the test wants to go wrong. */
  readonly fault: Fault;
}

export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown;
}

/** Thrown by a handler: the request is refused with this. */
export class Refusal extends Error {
  readonly answer: FakeAnswer;
  constructor(answer: FakeAnswer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

const novaWords: Readonly<Record<number, string>> = {
  400: "badRequest",
  401: "unauthorized",
  403: "forbidden",
  404: "itemNotFound",
  409: "conflictingRequest",
  413: "overLimit",
  429: "overLimit",
  503: "serviceUnavailable",
};

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  406: "Not Acceptable",
  409: "Conflict",
};

const neutronTypes: Readonly<Record<number, string>> = {
  400: "HTTPBadRequest",
  403: "PolicyNotAuthorized",
  404: "HTTPNotFound",
};

/** As the service words an error. `type`: of Neutron's errors. */
export function errorAnswer(service: FakeService, status: number, message: string, type?: string): FakeAnswer {
  return { status, ...errorBody(service, status, message, type) };
}

/** To be thrown. */
export function refusal(service: FakeService, status: number, message: string, type?: string): Refusal {
  return new Refusal(errorAnswer(service, status, message, type));
}

function errorBody(service: FakeService, code: number, message: string, type?: string): Omit<FakeAnswer, "status"> {
  const title = titles[code] ?? "Internal Server Error";
  if (service === "identity") return { body: { error: { code, message, title } } };
  if (service === "network")
    return { body: { NeutronError: { type: type ?? neutronTypes[code] ?? title, message, detail: "" } } };
  if (service === "compute" || service === "volume")
    return { body: { [novaWords[code] ?? "computeFault"]: { code, message } } };
  if (service === "placement") {
    const [detail, error] = [`${message}  `, type ?? "placement.undefined_code"];
    return { body: { errors: [{ status: code, title, detail, code: error, request_id: `req-${randomUUID()}` }] } };
  }
  const page = `<html>\n <head>\n  <title>${code} ${title}</title>\n </head>\n <body>\n  <h1>${code} ${title}</h1>\n  ${message}<br /><br />\n\n\n\n </body>\n</html>`;
  return { headers: { "content-type": "text/html; charset=UTF-8" }, body: page };
}

/** One of a table of routes, by method and path. */
export type FakeRoute = readonly [
  method: string,
  path: RegExp,
  handler: (call: FakeCall, ...names: string[]) => FakeAnswer | Promise<FakeAnswer>,
];

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Those of its entries whose values are strings. */
export function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object(value)).flatMap(([key, one]) => (typeof one === "string" ? [[key, one]] : [])),
  );
}

/** As Neutron, Glance and Nova write a time. */
export function stamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** As Keystone and some parts of Nova and Cinder write a time. */
export function microStamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}.000000`;
}
