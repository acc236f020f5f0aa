// How an interface declares its operations. One call gives the route, the gate, validation, the transaction with its
// Idempotency-Key, conditional GETs, paging and the entry in the OpenAPI document; what is left for a variant is to
// translate. A GET is handed the database, everything else one transaction, and the answer goes out after its commit.
//
//   api.post("/instance-operations/stop", { id: "stopInstances", …, body: InstanceUuids, status: 202, answer: Stopped },
//     async ({ tx, tenant, body }) => ({ data: { stopped_instances: … } }));

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { InterfaceName } from "../config.ts";
import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/connect.ts";
import type { Page } from "../rental/paging.ts";
import type { Scope, Service, Tenant } from "../rental/service.ts";
import { tenantOf } from "./auth/gate.ts";
import { etagOf, isFresh } from "./conditional.ts";
import type { HttpContext } from "./context.ts";
import type { ErrorKind } from "./errors/refusal.ts";
import type { StatusColumn } from "./errors/table.ts";
import { type Answer, fingerprint, type KeyUse, once, parseIdempotencyKey } from "./idempotency.ts";
import { operationSchema } from "./openapi/operation-schema.ts";
import { type Key, nextLink, takePage } from "./paging.ts";

/** What an operation is, for clients (the document) and for the route. */
export interface Operation<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema> {
  /** operationId: unique within the interface. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** What the token must be allowed; of several, any. By default GET needs `read` and everything else `write`. */
  readonly scope?: Scope | readonly [Scope, ...Scope[]];
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Fields of the body whose texts may hold anything, because the rental has rules of its own for them. */
  readonly ownText?: readonly string[];
  /** An absent body counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** 200 unless told. */
  readonly status?: number;
  /** Absent: the answer has no body. */
  readonly answer?: A;
  readonly example?: { readonly request?: Static<B>; readonly answer?: Static<A> };
  /** The refusals that this operation adds to those that every one of its kind has. */
  readonly errors?: readonly ErrorKind[];
}

/** What every handler is given. */
export interface Call<P, Q> {
  readonly tenant: Tenant;
  readonly service: Service;
  readonly params: P;
  readonly query: Q;
}

export interface Reading<P, Q> extends Call<P, Q> {
  readonly db: Database;
  /** The page that `?limit=&cursor=` asks for (declare `...pageQuery` in the query); writes the Link header. */
  page<T>(key: Key<T>, fetch: (page: Page) => Promise<readonly T[]>): Promise<readonly T[]>;
  /** For a list without an end (events): writes the Link header that goes on after this cursor. */
  goOnAfter(cursor: string): void;
}

/** The handler may run more than once (inTransaction), so it does nothing but talk to `tx` and compute. */
export interface Changing<P, Q, B> extends Call<P, Q> {
  readonly tx: Transaction;
  readonly body: B;
}

/** A GET that answers by itself, on `reply.raw` (server-sent events). End it when `closing` is aborted. */
export interface Streaming<P, Q> extends Call<P, Q> {
  readonly db: Database;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly closing: AbortSignal;
}

type Declare = <
  P extends TSchema = TObject,
  Q extends TSchema = TObject,
  B extends TSchema = TObject,
  A extends TSchema = TSchema,
>(
  path: string,
  operation: Operation<P, Q, B, A>,
  handler: (call: Changing<Static<P>, Static<Q>, Static<B>>) => Promise<Static<A>>,
) => void;

export interface Api {
  readonly context: HttpContext;
  get<P extends TSchema = TObject, Q extends TSchema = TObject, A extends TSchema = TSchema>(
    path: string,
    operation: Operation<P, Q, TObject, A>,
    handler: (call: Reading<Static<P>, Static<Q>>) => Promise<Static<A>>,
  ): void;
  readonly post: Declare;
  readonly put: Declare;
  readonly patch: Declare;
  readonly delete: Declare;
  stream<P extends TSchema = TObject, Q extends TSchema = TObject>(
    path: string,
    operation: Operation<P, Q, TObject, TSchema>,
    handler: (call: Streaming<Static<P>, Static<Q>>) => Promise<void>,
  ): void;
}

/** An operation whatever its schemas; that its examples and handler fit them was checked where it is declared. */
type AnyOperation = Operation<TSchema, TSchema, TSchema, TSchema>;

/** The declaring functions for one interface, whose routes go to `scope`. */
export function createApi(
  scope: FastifyInstance,
  context: HttpContext,
  { name, errorColumn }: { readonly name: InterfaceName; readonly errorColumn: StatusColumn },
): Api {
  function route(
    method: HTTPMethods,
    path: string,
    operation: AnyOperation,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ): void {
    const declared = operation.scope ?? (method === "GET" ? "read" : "write");
    const needed: readonly [Scope, ...Scope[]] = typeof declared === "string" ? [declared] : declared;
    const schema: FastifySchema = operationSchema(method, operation, errorColumn);
    scope.route({
      method,
      url: path,
      schema,
      config: { errorColumn, ownText: operation.ownText ?? [] },
      onRequest: (request, reply) => context.gate(request, reply, ...needed),
      ...(operation.bodyOptional === true ? { preValidation: emptyForAbsent } : {}),
      handler,
    });
  }

  const changing =
    (method: "POST" | "PUT" | "PATCH" | "DELETE"): Declare =>
    (path, operation, handler) =>
      route(method, path, operation as AnyOperation, async (request, reply) => {
        const use = method === "POST" ? keyUseOf(request, `${name} ${operation.id}`) : undefined;
        const answer = await inTransaction(context.db, (tx) => {
          const effect = async (): Promise<Answer> => ({
            status: operation.status ?? 200,
            headers: {},
            // The validator compiler has checked that these are what their schemas say.
            body: text(await handler({ ...callOf(request, context), tx, body: request.body as never })),
          });
          return use === undefined ? effect() : once(tx, context.service.keyRing, use, effect);
        });
        return send(reply, { ...answer, headers: { ...answer.headers, "cache-control": "no-store" } });
      });

  return {
    context,
    get: (path, operation, handler) =>
      route("GET", path, operation as AnyOperation, async (request, reply) => {
        const call = callOf(request, context);
        const page = pager(request, reply);
        const goOnAfter = (cursor: string) => void reply.header("link", nextLink(request.url, cursor));
        return sendConditional(request, reply, text(await handler({ ...call, db: context.db, page, goOnAfter })));
      }),
    post: changing("POST"),
    put: changing("PUT"),
    patch: changing("PATCH"),
    delete: changing("DELETE"),
    stream: (path, operation, handler) =>
      route("GET", path, operation as AnyOperation, async (request, reply) => {
        await handler({ ...callOf(request, context), db: context.db, request, reply, closing: context.closing });
        return reply;
      }),
  };
}

/** `never` fits whatever the schemas of an operation say; that it is so has been checked by the validator compiler. */
function callOf(request: FastifyRequest, context: HttpContext): Call<never, never> {
  return {
    tenant: tenantOf(request),
    service: context.service,
    params: request.params as never,
    query: request.query as never,
  };
}

function pager(request: FastifyRequest, reply: FastifyReply): Reading<never, never>["page"] {
  return async (key, fetch) => {
    const query = request.query as { limit?: number; cursor?: string }; // declared with pageQuery, and validated
    const { entries, next } = await takePage(query, key, fetch);
    if (next !== undefined) reply.header("link", nextLink(request.url, next));
    return entries;
  };
}

function keyUseOf(request: FastifyRequest, operation: string): KeyUse | undefined {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = parseIdempotencyKey(String(header));
  return { tenant: tenantOf(request), key, fingerprint: fingerprint(operation, request.params, request.body) };
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).headers(answer.headers);
  return answer.body === "" ? reply.send() : reply.type("application/json; charset=utf-8").send(answer.body);
}

function sendConditional(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  const etag = etagOf(body);
  const headers = { etag, "cache-control": "private, no-cache" };
  const fresh = isFresh(request.headers["if-none-match"], etag);
  return send(reply, fresh ? { status: 304, headers, body: "" } : { status: 200, headers, body });
}

function text(body: unknown): string {
  return body === undefined ? "" : JSON.stringify(body);
}

async function emptyForAbsent(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}
