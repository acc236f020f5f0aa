// The lambda edition: the account's audit log, in the form that clients of its family read: `page_token` beside `data`,
// and resource names (`lrn:cloud:<kind>:<id>`). The log itself: rental/audit.

import { type Static, Type } from "typebox";
import { auditEntries, type StoredAuditEntry } from "../../rental/audit/audit-store.ts";
import { invalid } from "../../rental/errors.ts";
import type { Principal } from "../../rental/service.ts";
import { parseUuid } from "../../rental/uuid.ts";
import { nearest } from "../../rules/spelling.ts";
import * as limit from "../api/documented-limits.ts";
import type { Api } from "../api/operations.ts";
import { sample } from "../api/schema.ts";
import { givenMoment, parseMoment } from "../api/timestamps.ts";
import { documented } from "../openapi/documented.ts";
import { auditCatalog, catalogVersion, operationsAbout, otherKind, resources } from "./audit-catalog.ts";
import { knownOnly } from "./schema.ts";

const pageLength = 100;

const Lrn = (description: string, kind: string) =>
  Type.String({ description, examples: [`lrn:cloud:${kind}:0198c5a25c527c4e9d0c0a3c5f1f2b6d`] });

const AuditEvent = Type.Object({
  event_id: Type.String({ format: "uuid" }),
  event_time: Type.String({ format: "date-time" }),
  service_name: Type.Literal("cloud"),
  resource_name: Type.String({ description: "The kind of resource.", examples: ["instance"] }),
  action: Type.String({ description: "The action on the resource.", examples: ["launched"] }),
  catalog_version: Type.String({ description: "The resource kind and the action, combined." }),
  actor_lrn: Lrn("The account of the request: yours or an operator's.", "account"),
  resource_lrns: Type.Array(Lrn("The resource, if it has an identifier.", "instance")),
  resource_owner_lrn: Lrn("The account that owns it.", "account"),
  request_api_key_lrn: Lrn("The token of the request.", "api_key"),
  client_ip: Type.Union([Type.String(), Type.Null()], { description: "Null if unknown, or an operator's." }),
  result: Type.Object({
    status: Type.String({ description: "`done`, `replayed`, `refused` or `failed`. The last two changed nothing." }),
    status_code: Type.Integer({ description: "Of the response." }),
  }),
  additional_details: Type.Object({
    interface: Type.String(),
    operation: Type.String({ description: "The operationId of that interface's document." }),
    objects: Type.Array(Type.String(), { description: "IDs and names of the objects that it concerned or created." }),
    error_code: Type.Optional(Type.String()),
    request_id: Type.String({ description: "X-Request-Id of the response." }),
  }),
});

const AuditQuery = knownOnly({
  start: Type.Optional(givenMoment("From this time, inclusive.")),
  end: Type.Optional(givenMoment("Up to this time, inclusive.")),
  page_token: Type.Optional(Type.String({ ...limit.cursor, description: "From the previous page." })),
  resource_type: Type.Optional(
    Type.String({
      ...documented({ enum: resources }),
      description: `Only events about this resource: ${resources.join(", ")}.`,
      examples: ["cloud.instance"],
    }),
  ),
});

export function auditRoutes(api: Api): void {
  api.get(
    "/audit-events",
    {
      id: "listAuditEvents",
      tag: "Audit events",
      summary: "List audit events",
      description:
        "Every request that changed your account or was rejected, newest first. A page can be short or " +
        "empty and still have a next page: `page_token` is null on the last page.",
      query: AuditQuery,
      answer: Type.Object({
        data: Type.Array(AuditEvent),
        page_token: Type.Union([Type.String(), Type.Null()], {
          description: "For the next page; null on the last page.",
        }),
      }),
      example: { answer: { data: [view(exampleEntry)], page_token: null } },
    },
    async ({ db, principal, query }) => {
      const { entries, goOnBefore } = await auditEntries(db, { ...filterOf(principal, query), limit: pageLength });
      return { data: entries.map(view), page_token: goOnBefore ?? null };
    },
  );
}

/** Throws RentalError invalid-parameters. */
function filterOf({ accountId }: Principal, query: Static<typeof AuditQuery>) {
  const { page_token: token, resource_type: type, start, end } = query;
  const before = token === undefined ? undefined : parseUuid(token);
  if (token !== undefined && before === undefined) throw invalid("page_token", "Is not a page_token of this list.");
  const operations = type === undefined ? undefined : operationsAbout(type);
  if (type !== undefined && operations === undefined) throw unknownType(type);
  return {
    accountId,
    before,
    operations,
    from: start === undefined ? undefined : parseMoment("start", start),
    to: end === undefined ? undefined : justAfter(parseMoment("end", end)),
  };
}

/** Timestamps are shown in whole milliseconds, and the shown one must be included. */
function justAfter(moment: Date): Date {
  return new Date(moment.getTime() + 1);
}

function unknownType(type: string) {
  const meant = nearest(type, resources, 3);
  return invalid("resource_type", `Must be one of: ${(meant.length > 0 ? meant : resources).join(", ")}.`);
}

function view(entry: StoredAuditEntry) {
  const kind = auditCatalog[entry.operation] ?? otherKind;
  return {
    event_id: entry.id,
    event_time: entry.at.toISOString(),
    service_name: "cloud" as const,
    resource_name: kind.resource,
    action: kind.action,
    catalog_version: catalogVersion,
    actor_lrn: lrn("account", entry.accountId),
    resource_lrns: resourceIds(entry).map((id) => lrn(kind.resource, id)),
    resource_owner_lrn: lrn("account", entry.changedAccountId ?? entry.accountId),
    request_api_key_lrn: lrn("api_key", entry.tokenId),
    client_ip: entry.address,
    result: { status: entry.result, status_code: entry.status },
    additional_details: {
      interface: entry.interface,
      operation: entry.operation,
      objects: [...entry.objects],
      ...(entry.errorCode !== null && { error_code: entry.errorCode }),
      request_id: entry.requestId,
    },
  };
}

/**
 * The UUIDs among its objects that are of the operation's resource type. A creating operation is about what it created
 * only: a name may look like an id too, and a response contains resources of other types.
 */
function resourceIds({ operation, objects, made }: StoredAuditEntry): string[] {
  const { makes, several, below } = auditCatalog[operation] ?? otherKind;
  const firstMade = objects.length - made;
  const about = makes ? objects.slice(firstMade) : objects.slice(0, firstMade);
  const ids = about.filter((object) => parseUuid(object) !== undefined);
  if (several) return ids;
  return below === undefined ? ids.slice(0, 1) : ids.slice(1, 2);
}

/** The resource type and the id without dashes, as clients know them. */
function lrn(kind: string, id: string): string {
  return `lrn:cloud:${kind}:${id.replaceAll("-", "")}`;
}

const exampleEntry: StoredAuditEntry = {
  id: "0198c5b0-77ee-7ff8-9aa9-bbccddeeff00",
  at: new Date("2026-03-01T12:00:00.000Z"),
  accountId: "0198c5a0-00aa-7bb1-8cc2-dd33ee44ff55",
  tokenId: "0198c5a1-22bb-7cc3-8dd4-ee55ff667788",
  changedAccountId: null,
  address: "192.0.2.7",
  interface: "lambda",
  operation: "launchInstances",
  method: "POST",
  objects: [sample.region.name, sample.id],
  made: 1,
  result: "done",
  status: 200,
  errorCode: null,
  reason: null,
  person: null,
  requestId: "0b5f0c7e-3f1d-4c55-8a6b-2d1f6f0a9e11",
};
