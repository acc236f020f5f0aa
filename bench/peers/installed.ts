// Peers that do not come with this project: found where they are, or installed, or named as missing with the reason.

import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Peer } from "./bare-peer.ts";

/** A peer that could not be brought up. */
export interface NoPeer {
  readonly missing: string;
}

export type PerhapsPeer = Peer | NoPeer;

export function isThere(peer: PerhapsPeer): peer is Peer {
  return !("missing" in peer);
}

/** Where installed peers are kept from one run to the next; outside of the checkout. */
export function cacheDirectory(): string {
  const cache = process.env.XDG_CACHE_HOME ?? (process.env.HOME === undefined ? tmpdir() : join(homedir(), ".cache"));
  return join(cache, "lessor-bench");
}

/** The first line of what went wrong. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").slice(0, 3).join(" ");
}
