// Control interface: events as server-sent events. Source: decisions, Events. The id of each is its cursor, as in GET
// /events, so a client may switch between the two. Implementation and limits: http/live/streams/hub.ts.

import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Database } from "../../../database/connect.ts";
import { invalid } from "../../../rental/errors.ts";
import { cursorNow, firstCursor, parseCursor } from "../../../rental/events/event-store.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { holderOf } from "../../auth/authorize.ts";
import { Sink } from "../../live/streams/sink.ts";
import { eventFilter, eventFilterQuery, eventView } from "./view.ts";

const StreamQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      ...limit.cursor,
      description: "Cursor to resume from if there is no Last-Event-ID: an event ID, or `next_cursor` of a list.",
    }),
  ),
  from: Type.Optional(
    Type.Enum(["now", "start"] as const, {
      description: "Where to start without a cursor. `now`, the default: new events only. `start`: all events.",
    }),
  ),
  ...eventFilterQuery,
});

export function eventStreamRoutes(api: Api): void {
  const { eventHub } = api.context;
  api.stream(
    "/events/stream",
    {
      id: "streamEvents",
      tag: "Events",
      summary: "Follow events",
      description:
        "Endless server-sent events: `data` is an event in JSON, `id` its cursor. A client that reconnects with " +
        "`Last-Event-ID` resumes after that event and misses none. Comments keep the connection alive. The stream ends when the " +
        "token is no longer valid, the server stops, or the client does not read.",
      scope: ["read", "operator"],
      query: StreamQuery,
      errors: ["quota-exceeded"],
    },
    async ({ db, principal, query, request, reply }) => {
      const filter = eventFilter(principal, query);
      const cursor = await cursorOf(db, request, query);
      const holder = holderOf(request);
      const leave = eventHub.admit(principal);
      try {
        const sink = open(request, reply);
        void eventHub.run({ holder, filter, cursor, sink, view: eventView(principal) }).finally(leave);
      } catch (error) {
        leave();
        throw error;
      }
    },
  );
}

/** Last-Event-ID takes precedence: a browser that reconnects sends it with the original query. */
async function cursorOf(
  db: Database,
  request: FastifyRequest,
  query: { cursor?: string | undefined; from?: "now" | "start" | undefined },
): Promise<string> {
  const header = request.headers["last-event-id"];
  if (header !== undefined && header !== "") {
    if (typeof header !== "string" || !isCursor(header))
      throw invalid("Last-Event-ID", "Use the `id:` of an event of the stream.");
    return header;
  }
  if (query.cursor !== undefined) {
    parseCursor(query.cursor);
    return query.cursor;
  }
  return query.from === "start" ? firstCursor : cursorNow(db);
}

function isCursor(text: string): boolean {
  try {
    parseCursor(text);
    return true;
  } catch {
    return false;
  }
}

/** Sends the head. From here on the stream writes the response. */
function open(request: FastifyRequest, reply: FastifyReply): Sink {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // For nginx, which would buffer events.
    "x-accel-buffering": "no",
  });
  const sink = new Sink(reply.raw);
  if (request.method === "HEAD") reply.raw.end();
  return sink;
}
