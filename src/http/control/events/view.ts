// Control interface: how events are shown and filtered. Used by events.ts and event-stream.ts.

import { type Static, Type } from "typebox";
import type { EventFilter, StoredEvent } from "../../../rental/events/event-store.ts";
import { parseGlobs } from "../../../rental/events/type-globs.ts";
import type { Principal } from "../../../rental/service.ts";
import * as limit from "../../api/documented-limits.ts";
import { sample } from "../../api/schema.ts";
import { accountFor, accountQuery, uuidAsked } from "../accounts/whose.ts";
import * as field from "../fields.ts";

export const Event = Type.Object(
  {
    id: field.uuid(),
    type: Type.String({ description: "Subject and what happened.", examples: ["instance.active", "ssh_key.created"] }),
    timestamp: field.timestamp(),
    account_id: Type.Optional(
      field.orNull(
        field.uuid(),
        "The account of the event; null: of none, such as an event of a host. For operators only.",
      ),
    ),
    data: Type.Unsafe<unknown>({ type: "object", description: "Depends on the type: names, IDs and states." }),
  },
  { title: "Event" },
);

/** Properties for the queries of events. */
export const eventFilterQuery = {
  types: Type.Optional(
    Type.String({
      ...limit.eventTypes,
      description: "Only these types, separated by commas; `*` matches anything.",
      examples: ["instance.*,ssh_key.created"],
    }),
  ),
  instance_id: Type.Optional(
    Type.String({ ...limit.uuid, description: "Only events of the instance with this UUID." }),
  ),
  ...accountQuery("events"),
};

const FilterQuery = Type.Object(eventFilterQuery);

/** Throws RentalError invalid-parameters, HttpError forbidden. */
export function eventFilter(principal: Principal, query: Static<typeof FilterQuery>): EventFilter {
  return {
    accountId: accountFor(principal, query.account_id),
    types: query.types === undefined ? [] : parseGlobs("types", query.types.split(",")),
    subjectId: uuidAsked("instance_id", "an instance", query.instance_id),
  };
}

/** Events as this principal sees them: with the account if the principal reads those of all accounts. */
export function eventView(principal: Principal) {
  const showsAccount = principal.scopes.has("operator");
  return ({ id, type, timestamp, accountId, data }: StoredEvent): Static<typeof Event> => ({
    id,
    type,
    timestamp: timestamp.toISOString(),
    ...(showsAccount ? { account_id: accountId } : {}),
    data,
  });
}

/** For the document. */
export const example: Static<typeof Event> = {
  id: "5b0c9d52-8f1e-4a67-9a55-0d8f6a3f7c21",
  type: "instance.active",
  timestamp: "2026-03-01T12:00:42.000Z",
  data: { instance_id: sample.id, name: "training", state: "active" },
};
