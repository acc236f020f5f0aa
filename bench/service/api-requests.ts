// Observes the HTTP requests of this process that undici sends, those of Node's `fetch` too. Used by count-requests.ts, in
// the measured service, and by runs/openstack/resync-program.ts.

import { channel } from "node:diagnostics_channel";

export interface ApiRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly origin: string;
  /** The query, with its "?"; "": none. */
  readonly query: string;
  /** Until the end of the response. */
  readonly ms: number;
}

interface Sent {
  readonly origin: string | URL;
  readonly method: string;
  readonly path: string;
}

/** `onEnd` is called when a response has arrived as a whole. */
export function observeRequests(onEnd: (request: ApiRequest) => void): void {
  const began = new WeakMap<Sent, number>();
  channel("undici:request:create").subscribe((message) => {
    began.set((message as { request: Sent }).request, performance.now()); // documented so
  });
  channel("undici:request:trailers").subscribe((message) => {
    const { request } = message as { request: Sent }; // documented so
    const { origin, method, path } = request;
    const [place = "", query] = path.split("?");
    const ms = performance.now() - (began.get(request) ?? performance.now());
    onEnd({ method, path: place, origin: String(origin), query: query === undefined ? "" : `?${query}`, ms });
  });
}
