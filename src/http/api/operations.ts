// How an interface declares its operations. One call gives the route, authorization, validation, the transaction with
// its Idempotency-Key, conditional GETs, paging and the entry in the OpenAPI document; a variant only translates. A GET
// receives the database, everything else one transaction, and the response is sent after its commit.
//
//   api.post("/instance-operations/stop", { id: "stopInstances", …, body: InstanceUuids, status: 202, answer: Stopped },
//     async ({ tx, principal, body }) => ({ data: { stopped_instances: … } }));

import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { InterfaceName } from "../../config/interfaces.ts";
import type { Database, Transaction } from "../../database/connect.ts";
import { RentalError } from "../../rental/errors.ts";
import type { Source } from "../../rental/freshness.ts";
import type { Instance } from "../../rental/instances/instance.ts";
import type { LaunchOrder } from "../../rental/launching/order.ts";
import type { Page } from "../../rental/paging.ts";
import type { Principal, Service } from "../../rental/service.ts";
import type { Wait } from "../../rental/waiting/begin-wait.ts";
import type { WaitingLaunch } from "../../rental/waiting/waiting-launch.ts";
import type { CompatibilityVersion } from "../../rules/compatibility-versions.ts";
import { principalOf } from "../auth/authorize.ts";
import type { CookieUse } from "../auth/from-console.ts";
import { cachedOrRead, type ReadAnswer, tagged } from "../cached/cached-or-read.ts";
import { refuseWhenFull, takesSpace } from "../edge/no-space.ts";
import { type ErrorKind, HttpError } from "../errors/api-error.ts";
import type { StatusColumn } from "../errors/table.ts";
import { foreignFields, foreignFieldsHeader, type LaunchMap, orderFrom } from "../launching/fields.ts";
import { operationSchema } from "../openapi/operation-schema.ts";
import { type AuditedOperation, auditRefusal } from "./audit.ts";
import { change } from "./change.ts";
import { bodyFor, type Pinned, versionFor } from "./compatibility.ts";
import { isFresh, readCaching } from "./conditional.ts";
import type { HttpContext } from "./context.ts";
import { type CsvTable, csvText } from "./csv.ts";
import { isAnswered, keyUseOf, orderKeyOf, type Response } from "./idempotency.ts";
import { type Needs, rightOf, scopesOf } from "./needs.ts";
import { type Key, nextLink, takePage } from "./paging.ts";

/** An operation, for clients (the document) and for the route. `R`: what `before` passes to its handler. */
export interface Operation<P extends TSchema, Q extends TSchema, B extends TSchema, A extends TSchema, R = unknown>
  extends Needs {
  /** operationId: unique within the interface. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** It needs no token, but one that is sent has to be valid. */
  readonly open?: boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Fields of the body whose texts may hold anything, because the rental has its own rules for them. */
  readonly ownText?: readonly string[];
  /** How far its body may exceed the general limit, for a field with its own limit. */
  readonly moreBodyBytes?: number;
  /** An absent body counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** Default: 200. */
  readonly status?: number;
  /** Absent: the response has no body. */
  readonly answer?: A;
  /** Of a launch: the body of a 202, when it waits. */
  readonly waiting?: TSchema;
  /** For an interface with a pin: the response for a pinned token, if different. */
  readonly pinned?: Pinned<Static<A>>;
  readonly example?: { readonly request?: Static<B>; readonly answer?: Static<A> };
  /** The media type of a file, which has no JSON response. */
  readonly media?: string;
  /** It changes an object of the account that its response names (`account_id`), which the audit log records if it is another. */
  readonly namesAccount?: boolean;
  /** Its body may state a `reason`, which the audit log records. */
  readonly statesReason?: boolean;
  /** A change with such a body changes nothing, and is not in the audit log. */
  readonly isPreview?: (body: Static<B>) => boolean;
  /**
   * A GET whose response may be cached until this has changed: it depends only on the request's address, and on time
   * only as the handler says (`validUntil`).
   */
  readonly cached?: Source;
  /** A GET that also responds with CSV: declare `...formatQuery` in the query. */
  readonly csv?: CsvTable<Static<A>>;
  /** The errors of this operation besides those of every operation of its kind. */
  readonly errors?: readonly ErrorKind[];
  /**
   * What happens outside before the transaction of a change begins; its result is passed to the handler. Throws to
   * reject the request. Does not happen again for a repeated Idempotency-Key, whose response is known.
   */
  readonly before?: (call: Before<Static<P>, Static<Q>, Static<B>>) => Promise<R>;
}

/** What every handler receives. */
export interface Call<P, Q> {
  readonly principal: Principal;
  readonly service: Service;
  readonly params: P;
  readonly query: Q;
  /** The version that the token is pinned to, if it applies to this interface. */
  readonly version: CompatibilityVersion | null;
}

export interface Reading<P, Q> extends Call<P, Q> {
  readonly db: Database;
  /** The page that `?limit=&cursor=` asks for (declare `...pageQuery` in the query); writes the Link header. */
  page<T>(key: Key<T>, fetch: (page: Page) => Promise<readonly T[]>): Promise<readonly T[]>;
  /** For a list without an end (events): writes the Link header to the page after this cursor. */
  goOnAfter(cursor: string): void;
  /** For a `cached` operation: until when (milliseconds since 1970) the response does not change with time alone. */
  validUntil(milliseconds: number): void;
}

/** The handler may run more than once (inTransaction), so it only uses `tx` and computes. */
export interface Changing<P, Q, B> extends Call<P, Q> {
  readonly tx: Transaction;
  readonly body: B;
}

export interface Before<P, Q, B> extends Call<P, Q> {
  readonly body: B;
  /** The same for each attempt with one Idempotency-Key, also for one whose process died. Undefined without a key. */
  readonly orderKey: string | undefined;
}

/** A GET that writes its response itself: a file of its `media`, or server-sent events. End those when `closing` is aborted. */
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
  R = void,
>(
  path: string,
  operation: Operation<P, Q, B, A, R>,
  handler: (call: Changing<Static<P>, Static<Q>, Static<B>>, before: R) => Promise<Static<A>>,
) => void;

/** A launch: its order and its response, because it may share a transaction with others (launching/). */
type DeclareLaunch = <B extends TSchema = TObject, A extends TSchema = TSchema>(
  path: string,
  operation: Operation<TObject, TObject, B, A>,
  launching: {
    readonly fields: LaunchMap<Static<B>>;
    /** Throws HttpError for a body that the token may not send. */
    readonly check?: (body: Static<B>, principal: Principal) => void;
    /** The parts of the order that the body does not give. */
    readonly base?: (body: Static<B>, principal: Principal) => Promise<Partial<LaunchOrder>>;
    readonly answer: (launched: readonly Instance[], principal: Principal) => Static<A>;
    /** Undefined: it does not wait. Throws RentalError for one that cannot be. */
    readonly wait?: (body: Static<B>) => Wait | undefined;
    /** The body of the 202, as `waiting` of the operation declares it. */
    readonly answerWaiting?: (waiting: WaitingLaunch) => unknown;
  },
) => void;

/** A POST without a token: its handler names the token that it created, for the audit log. */
type DeclareOpen = <B extends TSchema = TObject, A extends TSchema = TSchema>(
  path: string,
  operation: Operation<TObject, TObject, B, A>,
  handler: (call: {
    readonly tx: Transaction;
    /** Undefined: no token was sent. */
    readonly principal: Principal | undefined;
    readonly body: Static<B>;
  }) => Promise<{ readonly principal: Principal; readonly answer: Static<A> }>,
) => void;

export interface Api {
  readonly context: HttpContext;
  get<P extends TSchema = TObject, Q extends TSchema = TObject, A extends TSchema = TSchema>(
    path: string,
    operation: Operation<P, Q, TObject, A>,
    handler: (call: Reading<Static<P>, Static<Q>>) => Promise<Static<A>>,
  ): void;
  readonly post: Declare;
  readonly launch: DeclareLaunch;
  readonly open: DeclareOpen;
  readonly put: Declare;
  readonly patch: Declare;
  readonly delete: Declare;
  stream<P extends TSchema = TObject, Q extends TSchema = TObject>(
    path: string,
    operation: Operation<P, Q, TObject, TSchema>,
    handler: (call: Streaming<Static<P>, Static<Q>>) => Promise<void>,
  ): void;
  socket<P extends TSchema = TObject, Q extends TSchema = TObject>(
    path: string,
    operation: Operation<P, Q, TObject, TSchema> & { readonly endedAs: string },
    handler: (call: Streaming<Static<P>, Static<Q>>) => Promise<void>,
  ): void;
}

/** The interface whose operations are declared. */
interface ApiOf {
  readonly name: InterfaceName;
  readonly errorColumn: StatusColumn;
  /** The version whose pin changes its responses. */
  readonly pin?: CompatibilityVersion;
  /** Whether the console's cookie authorizes requests without a token. */
  readonly takesCookie?: boolean;
}

/** Any operation; its examples and handler were checked against its schemas where it is declared. */
type AnyOperation = Operation<TSchema, TSchema, TSchema, TSchema, unknown>;

/** The declaring functions of one interface, whose routes are added to `scope`. */
export function createApi(
  scope: FastifyInstance,
  context: HttpContext,
  { name, errorColumn, pin, takesCookie = false }: ApiOf,
): Api {
  const auditHook = (operation: AuditedOperation) => (request: FastifyRequest, reply: FastifyReply) =>
    auditRefusal(context, request, reply, operation);

  function route(
    method: HTTPMethods,
    path: string,
    operation: AnyOperation,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
    use: CookieUse = "request",
  ): void {
    const needed = scopesOf(operation, method);
    const right = rightOf(operation, method);
    const documented: FastifySchema = operationSchema(method, operation, { name, errorColumn });
    const schema: FastifySchema = use === "socket" ? { ...documented, hide: true } : documented;
    const isAudited = method !== "GET" || use === "socket";
    scope.route({
      method,
      url: path,
      schema,
      config: {
        errorColumn,
        interface: name,
        ownText: operation.ownText ?? [],
        moreBodyBytes: operation.moreBodyBytes ?? 0,
        ...(operation.open === true && { mostBodyBytes: mostOpenBodyBytes }),
        right,
        operation: { interface: name, id: operation.id },
        pin,
        longLived: use !== "request",
        cookie: takesCookie ? use : undefined,
      },
      onRequest: async (request, reply) => {
        const isUnsigned = request.headers.authorization === undefined;
        if (operation.open === true && isUnsigned && !context.hasSession(request))
          context.failures.refuseAfterFailures(request, reply, () => false);
        else await context.gate(request, reply, right, ...needed);
      },
      ...(operation.bodyOptional === true ? { preValidation: emptyForAbsent } : {}),
      ...(isAudited ? { onSend: auditHook({ interface: name, id: operation.id, method, path }) } : {}),
      handler,
    });
  }

  const changing =
    (method: "POST" | "PUT" | "PATCH" | "DELETE"): Declare =>
    (path, operation, handler) =>
      route(method, path, operation as AnyOperation, async (request, reply) => {
        const use = method === "POST" ? keyUseOf(request, `${name} ${operation.id}`) : undefined;
        const namesAccount = operation.namesAccount === true;
        const statesReason = operation.statesReason === true;
        const audited = { interface: name, id: operation.id, method, path, namesAccount, statesReason };
        const isPreview = operation.isPreview?.(request.body as never) === true;
        if (takesSpace(method, operation.id)) refuseWhenFull(context.storage);
        const isRepeated = operation.before !== undefined && use !== undefined && (await isAnswered(context.db, use));
        const before = isRepeated
          ? undefined
          : await operation.before?.({
              ...{ ...callOf(request, context), body: request.body as never },
              orderKey: use && orderKeyOf(use),
            });
        const answer = await change(context, { request, operation: audited, use, isPreview }, async (tx) => {
          // Its key has just expired: the next attempt is a first one.
          if (isRepeated) throw new HttpError("idempotency-in-progress", {});
          // The validator compiler has checked these against their schemas.
          return answerOf(
            operation,
            await handler({ ...callOf(request, context), tx, body: request.body as never }, before as never),
          );
        });
        return sendChanged(reply, shownOf(operation, request, answer));
      });

  const launching: DeclareLaunch = (path, operation, { fields, check, base, answer, wait, answerWaiting }) =>
    route("POST", path, operation as AnyOperation, async (request, reply) => {
      const ignored = foreignFields(context.launchFields, fields, Object(request.body));
      if (ignored.length > 0) reply.header(foreignFieldsHeader, ignored.join(", "));
      refuseWhenFull(context.storage);
      const principal = principalOf(request);
      check?.(request.body as never, principal);
      const waits = wait?.(request.body as never);
      const launched = await context.launches.take({
        request,
        operation: { interface: name, id: operation.id, method: "POST", path },
        use: keyUseOf(request, `${name} ${operation.id}`),
        principal,
        // As above.
        order: orderFrom(fields, request.body as never, await base?.(request.body as never, principal)),
        answerWith: (instances) => answerOf(operation, answer(instances, principal)),
        waitsUntil: waits?.until,
        wait: waits && {
          ...waits,
          answerWith: (launch) => answerOf({ status: 202 }, answerWaiting?.(launch)),
        },
      });
      return sendChanged(reply, shownOf(operation, request, launched));
    });

  const open: DeclareOpen = (path, operation, handler) =>
    route("POST", path, { ...operation, open: true } as AnyOperation, async (request, reply) => {
      const principal = request.principal ?? undefined;
      const audited = { interface: name, id: operation.id, method: "POST", path };
      refuseWhenFull(context.storage);
      try {
        const answer = await change(context, { request, operation: audited, use: undefined }, async (tx) => {
          // The validator compiler has checked the body against its schema.
          const done = await handler({ tx, principal, body: request.body as never });
          request.principal = done.principal;
          return answerOf(operation, done.answer);
        });
        return sendChanged(reply, answer);
      } catch (error) {
        // As tokens that are not valid, so that secrets cannot be tried out.
        if (error instanceof RentalError) context.failures.noteFailure(request);
        throw error;
      }
    });

  return {
    context,
    get: (path, operation, handler) => {
      const known = { operation: { interface: name, id: operation.id }, scopes: scopesOf(operation, "GET") };
      route("GET", path, operation as AnyOperation, async (request, reply) => {
        const call = callOf(request, context);
        const page = pager(request, reply);
        const goOnAfter = (cursor: string) => void reply.header("link", nextLink(request.url, cursor));
        const give = async (validUntil: Reading<never, never>["validUntil"]) => {
          const answer = await handler({ ...call, db: context.db, page, goOnAfter, validUntil });
          const { format } = request.query as { format?: string }; // declared with formatQuery, and validated
          return operation.csv !== undefined && format === "csv"
            ? { body: csvText(operation.csv, answer), type: "text/csv; charset=utf-8; header=present" }
            : { body: text(shown(operation, request, answer)), type: json };
        };
        if (operation.cached === undefined) return sendRead(request, reply, tagged(await give(() => {})));
        const read = { ...known, source: operation.cached, give };
        return sendRead(request, reply, await cachedOrRead(context.cached, request, reply, read));
      });
    },
    post: changing("POST"),
    launch: launching,
    open,
    put: changing("PUT"),
    patch: changing("PATCH"),
    delete: changing("DELETE"),
    stream: (path, operation, handler) => {
      const answer = async (request: FastifyRequest, reply: FastifyReply) => {
        await handler({ ...callOf(request, context), db: context.db, request, reply, closing: context.closing });
        return reply;
      };
      const { media } = operation;
      const documented = { ...operation, media: media ?? "text/event-stream" } as AnyOperation;
      route("GET", path, documented, answer, media === undefined ? "stream" : "request");
    },
    socket: (path, operation, handler) => {
      const answer = async (request: FastifyRequest, reply: FastifyReply) => {
        await handler({ ...callOf(request, context), db: context.db, request, reply, closing: context.closing });
        return reply;
      };
      const { endedAs: _, ...rest } = operation;
      route("GET", path, rest as AnyOperation, answer, "socket");
    },
  };
}

/** A few short fields: such requests need no token. */
const mostOpenBodyBytes = 2048;

/** `never` is assignable to the schemas of any operation; the validator compiler has checked the values. */
function callOf(request: FastifyRequest, context: HttpContext): Call<never, never> {
  return {
    principal: principalOf(request),
    service: context.service,
    params: request.params as never,
    query: request.query as never,
    version: versionFor(request),
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

const json = "application/json; charset=utf-8";

function answerOf({ status = 200 }: Pick<AnyOperation, "status">, body: unknown): Response {
  return { status, headers: {}, body: text(body) };
}

/** What decides the form of a response. */
type Shown = { readonly answer?: TSchema; readonly pinned?: Pinned<never> };

/** The response in the form for the token of this request. */
function shown(operation: Shown, request: FastifyRequest, answer: unknown): unknown {
  const version = versionFor(request);
  return version === null ? answer : bodyFor(version, operation, answer);
}

/** The same for a serialized response, which is stored whole under an Idempotency-Key. */
function shownOf(operation: Shown, request: FastifyRequest, given: Response): Response {
  if (versionFor(request) === null || given.body === "") return given;
  return { ...given, body: text(shown(operation, request, JSON.parse(given.body))) };
}

function sendChanged(reply: FastifyReply, answer: Response): FastifyReply {
  return send(reply, { ...answer, headers: { ...answer.headers, "cache-control": "no-store" } });
}

function send(reply: FastifyReply, answer: Response): FastifyReply {
  reply.code(answer.status).headers(answer.headers);
  return answer.body === "" ? reply.send() : reply.type(json).send(answer.body);
}

/** Sends the response of a read; a Link header is on the reply already. */
function sendRead(request: FastifyRequest, reply: FastifyReply, answer: ReadAnswer): FastifyReply {
  const { etag, type, body } = answer;
  reply.headers({ etag, "cache-control": readCaching });
  if (isFresh(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.code(200).type(type).send(body);
}

function text(body: unknown): string {
  return body === undefined ? "" : JSON.stringify(body);
}

async function emptyForAbsent(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {};
}
