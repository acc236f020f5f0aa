// Peers that are not part of this project: started, or reported as missing with the reason.

import type { Peer } from "./bare-peer.ts";

/** A peer that could not be started. */
export interface NoPeer {
  readonly missing: string;
}

export type PerhapsPeer = Peer | NoPeer;

export function isThere(peer: PerhapsPeer): peer is Peer {
  return !("missing" in peer);
}

/** The first line of the error. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").slice(0, 3).join(" ");
}
