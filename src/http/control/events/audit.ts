// Control interface: who changed what. An account sees the requests of its own tokens and operators' changes to it; the
// operator scope sees everything, or what one account sees. Source: decisions, The control API. A log grows without
// end, so it is paged even without a limit.

import { type Static, Type } from "typebox";
import { auditEntries, type StoredAuditEntry } from "../../../rental/audit/audit-store.ts";
import { auditResults } from "../../../rental/audit/entry.ts";
import { invalid } from "../../../rental/errors.ts";
import type { Principal } from "../../../rental/service.ts";
import { parseUuid } from "../../../rental/uuid.ts";
import { nearest } from "../../../rules/spelling.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { sample } from "../../api/schema.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import { accountFor, accountQuery, uuidAsked } from "../accounts/whose.ts";
import * as field from "../fields.ts";

const AuditEntry = Type.Object(
  {
    id: field.uuid(),
    at: field.timestamp(),
    account_id: Type.String({ format: "uuid", description: "Of the token of the request." }),
    token_id: field.uuid(),
    person: field.orNull(field.Named, "Whose token it is. Null: the team's own, or an operator's."),
    changed_account_id: field.orNull(
      field.uuid(),
      "The account whose objects an operator changed, if it is another one.",
    ),
    address: field.orNull(
      Type.String({ examples: ["192.0.2.7"] }),
      "The client's address. Null for requests of an operator.",
    ),
    interface: field.name("marketplace"),
    operation: Type.String({
      description: "The operationId of the interface's document.",
      examples: ["stopInstances"],
    }),
    method: Type.String({ examples: ["POST"] }),
    objects: Type.Array(Type.String(), {
      description: "IDs and names of the objects that the request concerned or created.",
    }),
    result: Type.Enum(auditResults, {
      title: "AuditResult",
      description: "`replayed`: a response repeated for an Idempotency-Key. `refused` and `failed` changed nothing.",
    }),
    status: Type.Integer({ description: "Of the response.", examples: [200] }),
    error_code: field.orNull(Type.String({ examples: ["global/forbidden"] })),
    reason: field.orNull(
      Type.String(),
      "The reason, if the request stated one; accounts do not see why their instances were moved.",
    ),
    request_id: Type.String({ description: "X-Request-Id of the response." }),
  },
  { title: "AuditEntry" },
);

const defaultLimit = 100;

const AuditQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: `Maximum number of entries. Default: ${defaultLimit}.` }),
  ),
  cursor: Type.Optional(
    Type.String({ ...limit.cursor, description: "Cursor of the page, from the `Link` header of the previous page." }),
  ),
  ...accountQuery("entries"),
  token_id: Type.Optional(Type.String({ ...limit.uuid, description: "Only requests of this token." })),
  operation: Type.Optional(
    Type.String({
      ...limit.name,
      description: "Only this operation (operationId). It must be one that changes something.",
      examples: ["stopInstances"],
    }),
  ),
  object: Type.Optional(Type.String({ description: "Only entries about this ID or name." })),
  result: Type.Optional(Type.Enum(auditResults, { title: "AuditResult" })),
  from: Type.Optional(givenMoment("From this time, inclusive.")),
  to: Type.Optional(givenMoment("Before this time.")),
});

const example = view({
  id: "0198c5b0-77ee-7ff8-9aa9-bbccddeeff00",
  at: new Date("2026-03-01T12:00:00.000Z"),
  accountId: "0198c5a0-00aa-7bb1-8cc2-dd33ee44ff55",
  tokenId: "0198c5a1-22bb-7cc3-8dd4-ee55ff667788",
  changedAccountId: null,
  address: "192.0.2.7",
  interface: "marketplace",
  operation: "stopInstances",
  method: "POST",
  objects: [sample.id],
  made: 0,
  result: "done",
  status: 202,
  errorCode: null,
  reason: null,
  requestId: "0b5f0c7e-3f1d-4c55-8a6b-2d1f6f0a9e11",
  person: null,
});

export function auditRoutes(api: Api): void {
  const { changes } = api.context;
  api.get(
    "/audit-log",
    {
      id: "listAuditLog",
      tag: "Audit log",
      summary: "Read the audit log",
      description:
        "Every request that changed something or was rejected, newest first, with its token, address, objects " +
        "and result, including an operator's changes to your account. A filtered page can be short " +
        "or empty and still have a next page: follow the `Link` header to the end.",
      scope: ["read", "operator"],
      query: AuditQuery,
      answer: field.many(AuditEntry),
      example: { answer: { data: [example] } },
    },
    async ({ db, principal, query, goOnAfter }) => {
      const limit = query.limit ?? defaultLimit;
      const { entries, goOnBefore } = await auditEntries(db, { ...filterOf(principal, query, changes), limit });
      if (goOnBefore !== undefined) goOnAfter(goOnBefore);
      return { data: entries.map(view) };
    },
  );
}

/** `changes`: the operations that can have entries. Throws HttpError forbidden, RentalError invalid-parameters. */
function filterOf(principal: Principal, query: Static<typeof AuditQuery>, changes: readonly string[]) {
  const before = query.cursor === undefined ? undefined : parseUuid(query.cursor);
  if (query.cursor !== undefined && before === undefined) throw invalid("cursor", "Is not a cursor of this list.");
  return {
    accountId: accountFor(principal, query.account_id),
    tokenId: uuidAsked("token_id", "a token", query.token_id),
    operations: query.operation === undefined ? undefined : [operationAsked(query.operation, changes)],
    // In the form of the entries.
    object: query.object === undefined ? undefined : (parseUuid(query.object) ?? query.object),
    result: query.result,
    from: query.from === undefined ? undefined : parseMoment("from", query.from),
    to: query.to === undefined ? undefined : parseMoment("to", query.to),
    before,
  };
}

/** Throws RentalError invalid-parameters for an operation that has no entries. */
function operationAsked(operation: string, changes: readonly string[]): string {
  if (changes.includes(operation)) return operation;
  const meant = nearest(operation, changes, 3);
  const help =
    meant.length > 0
      ? `Did you mean ${meant.join(" or ")}?`
      : "For operation names, see operationId in the interfaces' openapi.json.";
  throw invalid("operation", `Is not an operation that changes something. ${help}`);
}

function view(entry: StoredAuditEntry) {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    account_id: entry.accountId,
    token_id: entry.tokenId,
    person: entry.person,
    changed_account_id: entry.changedAccountId,
    address: entry.address,
    interface: entry.interface,
    operation: entry.operation,
    method: entry.method,
    objects: [...entry.objects],
    result: entry.result,
    status: entry.status,
    error_code: entry.errorCode,
    reason: entry.reason,
    request_id: entry.requestId,
  };
}
