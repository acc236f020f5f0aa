// How much of request bodies is held in memory at once, of all connections together. One body has a bound of its own;
// ten thousand that are sent slowly side by side would still fill the memory. Used by json-body.ts.

import type { ServerResponse } from "node:http";
import { HttpRefusal } from "./errors/refusal.ts";

export interface BodyRoom {
  /** Takes room for so much more of the request that `response` answers; given back when that has ended. Throws HttpRefusal unavailable. */
  take(response: ServerResponse, bytes: number): void;
}

/** Enough for 128 launches with user data of a mebibyte, or for 60,000 ordinary ones. */
const roomBytes = 128 * 1024 * 1024;

export function createBodyRoom(most = roomBytes): BodyRoom {
  const taken = new WeakMap<ServerResponse, number>();
  let total = 0;
  return {
    take(response, bytes) {
      if (total + bytes > most) throw new HttpRefusal("unavailable", { overloaded: true });
      const before = taken.get(response);
      if (before === undefined) response.once("close", () => (total -= taken.get(response) ?? 0));
      taken.set(response, (before ?? 0) + bytes);
      total += bytes;
    },
  };
}
