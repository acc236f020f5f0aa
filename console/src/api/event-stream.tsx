// The console's one event stream. An event invalidates reads (touched.ts), and those on the screen are refetched, or, of
// long lists, only what the event is about (long-lists.ts); nothing is polled. While the stream is down the console says
// so; when it reconnects, everything on the screen is refetched. Mounted once in a session.

import { type Query, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { notBegunAgain, patch, patchable } from "./long-lists.ts";
import { sessionKey, useSession } from "./session-context.tsx";
import { touchedBy } from "./touched.ts";

/** `lost`: disconnected for a while, so the page might be out of date. */
export type StreamState = "connecting" | "live" | "lost";

/** A shorter break of the connection is not reported. */
const graceMilliseconds = 1_500;
/** Refetches are at least this far apart: a launch of many instances sends many events. The first does not wait. */
const gatherMilliseconds = 120;
const againMilliseconds = [1_000, 2_000, 5_000, 10_000] as const;

const State = createContext<StreamState>("connecting");

export const useStreamState = (): StreamState => useContext(State);

interface EventStreamProps {
  /** Told of each event of the account as it comes. The same function at each render. */
  readonly onOwnEvent: (event: EventRead) => void;
  readonly children: ReactNode;
}

export function EventStream({ onOwnEvent, children }: EventStreamProps) {
  const { control_url, client, account } = useSession();
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>("connecting");

  useEffect(() => {
    const touched = new Set<string>();
    /** What `touched` has "instances" for; null: for more than single ones. */
    let instanceIds: Set<string> | null = new Set();
    let lookedAt = Number.NEGATIVE_INFINITY;
    let patching = Promise.resolve();
    let source: EventSource | undefined;
    let cursor = "";
    let failures = 0;
    let gathering: number | undefined;
    let grace: number | undefined;
    let again: number | undefined;

    const waiting = new Set<Query>();
    /** Once it has ended, however many events come until then. */
    const readAgainLater = (query: Query) => {
      if (waiting.has(query)) return;
      waiting.add(query);
      void Promise.allSettled([query.promise]).then(() => {
        waiting.delete(query);
        return queries.invalidateQueries({ predicate: (one) => one === query });
      });
    };

    const look = () => {
      gathering = undefined;
      lookedAt = performance.now();
      const subjects = new Set(touched);
      const ids = instanceIds ?? new Set<string>();
      touched.clear();
      instanceIds = new Set();
      const isTouched = ({ queryKey }: Query) => subjects.has(String(queryKey[0]));
      const patched = patchable(queries, ids).filter(isTouched);
      if (patched.length > 0) patching = patching.then(() => patch(queries, client, account.id, patched, ids));
      const later = notBegunAgain(queries).filter((query) => isTouched(query) && !patched.includes(query));
      for (const query of later) readAgainLater(query);
      void queries.invalidateQueries({
        predicate: (query) => isTouched(query) && !patched.includes(query) && !later.includes(query),
      });
    };

    const heard = (message: MessageEvent<string>) => {
      cursor = message.lastEventId;
      const event = eventIn(message.data);
      const { type, instanceId } = event;
      // Operators hear those of all accounts.
      if (event.accountId === undefined || event.accountId === account.id) onOwnEvent(event);
      const subjects = touchedBy(type);
      for (const subject of subjects) touched.add(subject);
      if (instanceId !== undefined) instanceIds?.add(instanceId);
      else if (subjects.includes("instances")) instanceIds = null;
      gathering ??= window.setTimeout(look, Math.max(0, lookedAt + gatherMilliseconds - performance.now()));
    };

    const opened = () => {
      window.clearTimeout(grace);
      grace = undefined;
      // Also after a short break: what has no event may have changed meanwhile.
      if (failures > 0) void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      failures = 0;
      setState("live");
    };

    const broken = () => {
      failures += 1;
      grace ??= window.setTimeout(() => setState("lost"), graceMilliseconds);
      // The browser retries by itself, unless the response was an error.
      if (source?.readyState !== EventSource.CLOSED) return;
      window.clearTimeout(again);
      again = window.setTimeout(connect, againMilliseconds[Math.min(failures, againMilliseconds.length) - 1]);
      // The session may be over; any other request finds out.
      void queries.invalidateQueries({ queryKey: sessionKey });
    };

    const connect = () => {
      source?.close();
      const query = cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`;
      source = new EventSource(`${control_url}/events/stream${query}`);
      source.addEventListener("open", opened);
      source.addEventListener("message", heard);
      source.addEventListener("error", broken);
    };

    // The browser notices a lost network before the connection does.
    const offline = () => {
      failures += 1;
      source?.close();
      setState("lost");
    };

    connect();
    window.addEventListener("offline", offline);
    window.addEventListener("online", connect);
    return () => {
      window.removeEventListener("offline", offline);
      window.removeEventListener("online", connect);
      source?.close();
      for (const timer of [gathering, grace, again]) window.clearTimeout(timer);
    };
  }, [control_url, client, account.id, queries, onOwnEvent]);

  return <State value={state}>{children}</State>;
}

export interface EventRead {
  /** "" if it has none, as a stream may begin with an id alone. */
  readonly type: string;
  /** Null: of none. Undefined: of the account of the session. */
  readonly accountId: string | null | undefined;
  /** Only of events of an instance. */
  readonly instanceId: string | undefined;
  readonly data: object;
}

/** As the control API documents events. */
interface SentEvent {
  readonly type?: string;
  readonly account_id?: string | null;
  readonly data?: { readonly instance_id?: string };
}

function eventIn(text: string): EventRead {
  try {
    const { type = "", account_id: accountId, data = {} } = JSON.parse(text) as SentEvent;
    return { type, accountId, instanceId: type.startsWith("instance.") ? data.instance_id : undefined, data };
  } catch {
    return { type: "", accountId: undefined, instanceId: undefined, data: {} };
  }
}
