// Control interface: an account's events, after a cursor. Source: decisions, Events.
// Unlike other lists this one has no end: every answer says where to go on, also when there is nothing yet, so that a
// client can poll with what the last answer gave it and never miss an event.

import { Type } from "typebox";
import { eventsAfter, type StoredEvent } from "../../rental/events/event-store.ts";
import type { Api } from "../operations.ts";
import { sample } from "../schema.ts";
import * as field from "./fields.ts";

const Event = Type.Object({
  id: field.uuid(),
  type: Type.String({ description: "Subject and what happened.", examples: ["instance.active", "ssh_key.created"] }),
  timestamp: field.moment(),
  data: Type.Unsafe<unknown>({ type: "object", description: "Depends on the type: names, ids and states." }),
});

const defaultLimit = 100;

const EventQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `At most so many events. Default: ${defaultLimit}.` }),
  ),
  cursor: Type.Optional(
    Type.String({
      description: "Where to go on: `next_cursor` of an answer before. Without it: from the first event.",
    }),
  ),
});

/** Before every event. */
const start = "0.0";

const example = {
  id: "5b0c9d52-8f1e-4a67-9a55-0d8f6a3f7c21",
  type: "instance.active",
  timestamp: "2026-03-01T12:00:42.000Z",
  data: { instance_id: sample.id, name: "training", state: "active" },
};

export function eventRoutes(api: Api): void {
  api.get(
    "/events",
    {
      id: "listEvents",
      tag: "Events",
      summary: "Read events",
      description:
        "What happened to what you own, oldest first. `next_cursor` (also in `Link`) goes on after it, now or later.",
      query: EventQuery,
      answer: Type.Object({ data: Type.Array(Event), next_cursor: Type.String() }),
      example: { answer: { data: [example], next_cursor: "7731.4" } },
    },
    async ({ db, tenant, query, goOnAfter }) => {
      const events = await eventsAfter(db, tenant.accountId, query.cursor, query.limit ?? defaultLimit);
      const nextCursor = events.at(-1)?.cursor ?? query.cursor ?? start;
      goOnAfter(nextCursor);
      return { data: events.map(view), next_cursor: nextCursor };
    },
  );
}

function view({ id, type, timestamp, data }: StoredEvent) {
  return { id, type, timestamp: timestamp.toISOString(), data };
}
