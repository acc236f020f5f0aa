// Control interface: an account's events, after a cursor. Source: decisions, Events. As a stream: event-stream.ts.
// Unlike other lists this one has no end: every answer says where to go on, also when there is nothing yet, so that a
// client can poll with what the last answer gave it and never miss an event.

import { Type } from "typebox";
import { readEvents } from "../../../rental/events/event-store.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { Event, eventFilter, eventFilterQuery, eventView, example } from "./view.ts";

const defaultLimit = 100;

const EventQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `At most so many events. Default: ${defaultLimit}.` }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...limit.cursor,
      description: "Where to go on: `next_cursor` of an answer before. Without it: from the first event.",
    }),
  ),
  ...eventFilterQuery,
});

export function eventRoutes(api: Api): void {
  api.get(
    "/events",
    {
      id: "listEvents",
      tag: "Events",
      summary: "Read events",
      description:
        "What happened to what you own, oldest first; with the operator scope, to what anybody owns. `next_cursor` (also in " +
        "`Link`) goes on after it, now or later. Narrowed by type or instance a page may be short, or empty, and there is " +
        "more: `has_more` says so.",
      scope: ["read", "operator"],
      query: EventQuery,
      answer: Type.Object({
        data: Type.Array(Event),
        next_cursor: Type.String(),
        has_more: Type.Boolean({ description: "Whether there may be more at this moment: ask again at once." }),
      }),
      example: { answer: { data: [example], next_cursor: "7731.4", has_more: false } },
    },
    async ({ db, principal, query, goOnAfter }) => {
      const limit = query.limit ?? defaultLimit;
      const page = await readEvents(db, eventFilter(principal, query), query.cursor, limit);
      goOnAfter(page.goOnAfter);
      return { data: page.events.map(eventView(principal)), next_cursor: page.goOnAfter, has_more: page.hasMore };
    },
  );
}
