// Control interface: an account's events, after a cursor. Source: decisions, Events. As a stream: event-stream.ts.
// Unlike other lists this one has no end: every response has the next cursor, even when it is empty, so a client can
// poll with the last response's cursor and never miss an event.

import { Type } from "typebox";
import { readEvents } from "../../../rental/events/event-store.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { Event, eventFilter, eventFilterQuery, eventView, example } from "./view.ts";

const defaultLimit = 100;

const EventQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `Maximum number of events. Default: ${defaultLimit}.` }),
  ),
  cursor: Type.Optional(
    Type.String({
      ...limit.cursor,
      description: "Cursor to resume from: `next_cursor` of a previous response. Default: the first event.",
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
        "Events of your account, oldest first; with the operator scope, of all accounts. `next_cursor` (also in " +
        "`Link`) continues after them, now or later. A filtered page can be short or empty while there are " +
        "more events: see `has_more`.",
      scope: ["read", "operator"],
      query: EventQuery,
      answer: Type.Object({
        data: Type.Array(Event),
        next_cursor: Type.String(),
        has_more: Type.Boolean({
          description: "Whether there might be more events now. If true, request the next page immediately.",
        }),
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
