// Every kind of request to one interface, from its document: valid, near, with a broken field, at the bounds, hostile in
// body, headers, path or query, and with a method that the path does not take.

import { filled, type Vocabulary } from "../../conformance/arbitrary-requests.ts";
import type { PublishedOperation } from "../../conformance/published.ts";
import { fc } from "../../support/properties.ts";
import { brokenFields, edgeFields, hostileBodies, validFields } from "./bodies.ts";
import type { WireRequest } from "./wire-request.ts";

/** The kinds, and how many of twenty requests are of each. */
const shares = { valid: 5, near: 5, broken: 3, edge: 2, hostile: 2, headers: 2, stray: 1 } as const;

/** `token` goes into Authorization, unless a request's own headers say otherwise. */
export function wireRequests(
  operations: readonly PublishedOperation[],
  words: Vocabulary,
  token: string,
): fc.Arbitrary<WireRequest> {
  const usual = { authorization: `Bearer ${token}` };
  const near = words.requests(operations).map(({ operation, path, body, key }) => ({
    method: operation.method,
    path,
    headers: key === undefined ? usual : { ...usual, "idempotency-key": key },
    body: body === undefined ? undefined : JSON.stringify(body),
    documented: true,
  }));
  // There is more to get wrong where there is a body.
  const each = (make: (operation: PublishedOperation) => fc.Arbitrary<WireRequest>) =>
    fc.oneof(...operations.map((one) => ({ weight: one.body === undefined ? 1 : 3, arbitrary: make(one) })));
  const withFields = (fields: typeof validFields) => (operation: PublishedOperation) =>
    request(operation, words, usual, operation.body && fields(operation.body, words).map((one) => JSON.stringify(one)));
  return fc.oneof(
    { weight: shares.near, arbitrary: near },
    { weight: shares.valid, arbitrary: each(withFields(validFields)) },
    { weight: shares.broken, arbitrary: each(withFields(brokenFields)) },
    { weight: shares.edge, arbitrary: each(withFields(edgeFields)) },
    {
      weight: shares.hostile,
      arbitrary: each((operation) =>
        request(operation, words, usual, operation.body && hostileBodies(operation.body, words)),
      ),
    },
    {
      weight: shares.headers,
      arbitrary: fc
        .tuple(each(withFields(validFields)), oddHeaders(words))
        .map(([one, headers]) => ({ ...one, headers: { ...one.headers, ...headers } })),
    },
    { weight: shares.stray, arbitrary: strays(operations, words, usual) },
  );
}

/** With words, mostly good ones, in the places of the path, and at times a query. */
function request(
  operation: PublishedOperation,
  words: Vocabulary,
  headers: Record<string, string>,
  body: fc.Arbitrary<string | Buffer> | undefined,
): fc.Arbitrary<WireRequest> {
  const place = (name: string) => (/id$/.test(name) ? words.identifier() : words.word());
  const places = fc.tuple(...operation.parameters.map(place));
  const path = fc.oneof(
    { weight: 5, arbitrary: places.map((values) => filled(operation.path, values)) },
    { weight: 1, arbitrary: words.path(operation) },
  );
  return fc
    .tuple(path, body ?? fc.constant(undefined), fc.option(fc.nat({ max: 500 }), { freq: 3 }))
    .map(([path, text, key]) => ({
      method: operation.method,
      path,
      headers: key === null ? headers : { ...headers, "idempotency-key": `key-${key}` },
      body: text,
      documented: true,
    }));
}

const headerNames = [
  "content-type",
  "accept",
  "accept-encoding",
  "accept-language",
  "if-none-match",
  "if-modified-since",
  "idempotency-key",
  "x-request-id",
  "x-http-method-override",
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "range",
  "cookie",
  "content-encoding",
  "last-event-id",
  "traceparent",
  "origin",
  "access-control-request-method",
  "host",
  "authorization",
] as const;

const headerValues = [
  "*",
  '"',
  'W/"x", *',
  ",,,,",
  ";;/",
  "gzip, br;q=nonsense",
  "application/xml; charset=utf-16",
  "multipart/form-data",
  "bytes=0-0,-1",
  "127.0.0.1",
  "::1, unknown, <script>",
  "DELETE",
  "Bearer",
  "Bearer x",
  "Basic YTpi",
  "Bearer a b",
  "null",
  "0",
  "-1",
  "99999999999999999999",
  "'; drop table tokens; --",
  "../../etc/passwd",
  "x".repeat(4000),
];

function oddHeaders(words: Vocabulary): fc.Arbitrary<Record<string, string>> {
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...headerValues) },
    words.text().map((text) =>
      [...text]
        .filter((one) => /^[\x20-\x7e\xa0-\xff]$/.test(one))
        .join("")
        .slice(0, 2000),
    ),
  );
  return fc.dictionary(fc.constantFrom(...headerNames), value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "PURGE"] as const;
const oddPaths = [
  "/",
  "/nothing",
  "/instances/a/b",
  "/%2e%2e/etc/passwd",
  "/..%2f..%2f",
  "/%00",
  "/%ff",
  "/%zz",
  "/%",
  "/instances%2f",
  "/instances?%zz",
  "/instances;a=b",
  `/${"x".repeat(5000)}`,
  `/${"a/".repeat(500)}`,
  "/__proto__",
  "/constructor/prototype",
  "/instance-types?a=%ED%A0%80",
];

/** A method that the path does not take, or a path that nobody has. */
function strays(
  operations: readonly PublishedOperation[],
  words: Vocabulary,
  headers: Record<string, string>,
): fc.Arbitrary<WireRequest> {
  const known = new Set(operations.map(({ path }) => path));
  const places = fc.array(words.word(), { minLength: 3, maxLength: 3 });
  const path = fc.oneof(
    fc.constantFrom(...oddPaths),
    fc.tuple(fc.constantFrom(...known), places).map(([template, values]) => filled(template, values)),
  );
  return fc
    .tuple(path, fc.constantFrom(...methods), fc.option(words.text(), { freq: 2 }))
    .map(([path, method, text]) => ({
      method: isKnown(operations, method, path) ? "PURGE" : method,
      path,
      headers,
      body: text === null ? undefined : JSON.stringify({ text }),
      documented: false,
    }));
}

function isKnown(operations: readonly PublishedOperation[], method: string, path: string): boolean {
  const given = path.split("?")[0]?.split("/") ?? [];
  return operations.some((operation) => {
    const wanted = operation.path.split("/");
    const fits = wanted.length === given.length && wanted.every((part, i) => part.startsWith("{") || part === given[i]);
    return operation.method === method && fits;
  });
}
