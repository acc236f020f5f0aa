// The console's one event stream. An event invalidates reads (touched.ts), and those on the screen are refetched; nothing
// is polled. While the stream is down the console says so; when it reconnects, everything on the screen is refetched.
// Mounted once in a session.

import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { sessionKey, useSession } from "./session-context.tsx";
import { touchedBy } from "./touched.ts";

/** `lost`: disconnected for a while, so the page might be out of date. */
export type StreamState = "connecting" | "live" | "lost";

/** A shorter break of the connection is not reported. */
const graceMilliseconds = 1_500;
/** Events within this time cause one refetch: a launch of many instances sends many. */
const gatherMilliseconds = 120;
const againMilliseconds = [1_000, 2_000, 5_000, 10_000] as const;

const State = createContext<StreamState>("connecting");

export const useStreamState = (): StreamState => useContext(State);

export function EventStream({ children }: { readonly children: ReactNode }) {
  const { control_url } = useSession();
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>("connecting");

  useEffect(() => {
    const touched = new Set<string>();
    let source: EventSource | undefined;
    let cursor = "";
    let failures = 0;
    let gathering: number | undefined;
    let grace: number | undefined;
    let again: number | undefined;

    const look = () => {
      gathering = undefined;
      const subjects = new Set(touched);
      touched.clear();
      void queries.invalidateQueries({ predicate: ({ queryKey }) => subjects.has(String(queryKey[0])) });
    };

    const heard = (message: MessageEvent<string>) => {
      cursor = message.lastEventId;
      for (const subject of touchedBy(typeOf(message.data))) touched.add(subject);
      gathering ??= window.setTimeout(look, gatherMilliseconds);
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
  }, [control_url, queries]);

  return <State value={state}>{children}</State>;
}

/** The type of an event; "" if it has none, as a stream may begin with an id alone. */
function typeOf(data: string): string {
  try {
    const { type } = JSON.parse(data) as { type?: unknown };
    return typeof type === "string" ? type : "";
  } catch {
    return "";
  }
}
