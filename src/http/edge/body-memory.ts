// Limits the memory of request bodies, of all connections together. One body has its own limit, but ten thousand bodies
// sent slowly at once would still fill the memory.
//
// The memory has three parts, so that no client can take what others need: bodies that came before a token was
// verified, small bodies of verified tokens (a reserve for nothing else), and large bodies of verified tokens. One
// owner can have only a share of each part; an owner is a token, or before one is verified, an address.
//
// Invariant: what a body takes is released when the response to its request has closed. Used by json-body.ts.

import type { ServerResponse } from "node:http";
import { HttpError } from "../errors/api-error.ts";

export interface BodyOwner {
  readonly kind: "token" | "address";
  readonly id: string;
}

export interface BodyMemory {
  /**
   * For the body of the request of `response`; `declaredBytes`: its Content-Length, 0 without one. Call the result with
   * the bytes of each piece, before storing the piece. It throws HttpError unavailable when the part or the owner's
   * share is used up.
   */
  begin(response: ServerResponse, owner: BodyOwner, declaredBytes: number): (bytes: number) => void;
}

/** Sizes in bytes: of a whole part, and of one owner's share. */
interface Size {
  readonly all: number;
  readonly share: number;
}

export interface BodyMemorySizes {
  readonly unverified: Size;
  readonly small: Size;
  readonly large: Size;
  /** The largest body that is small. */
  readonly smallBytes: number;
}

/**
 * The least bytes that a piece of a body counts as: it costs a Buffer and a turn of the loop that reads it.
 */
export const leastPieceBytes = 1024;
/** How many pieces of a body may be smaller: some encoders write small pieces, but none byte by byte. */
export const mostSmallPieces = 4096;

const kib = 1024;
const mib = 1024 * kib;

/** 128 MiB in all. A launch without user data is small; 32 MiB are ten launches with the most user data allowed. */
const sizes: BodyMemorySizes = {
  unverified: { all: 8 * mib, share: 64 * kib },
  small: { all: 16 * mib, share: 4 * mib },
  large: { all: 104 * mib, share: 32 * mib },
  smallBytes: 16 * kib,
};

export function createBodyMemory(given: BodyMemorySizes = sizes): BodyMemory {
  const unverified = new Part(given.unverified);
  const small = new Part(given.small);
  const large = new Part(given.large);

  return {
    begin(response, { kind, id }, declaredBytes) {
      let part = kind === "address" ? unverified : declaredBytes <= given.smallBytes ? small : large;
      let taken = 0;
      response.once("close", () => part.release(id, taken));
      return (bytes) => {
        // It would never be released, and no client waits for the response.
        if (response.closed) throw new HttpError("request-timeout", {});
        if (part === small && taken + bytes > given.smallBytes) {
          // Its length was not declared.
          large.take(id, taken + bytes);
          small.release(id, taken);
          part = large;
        } else part.take(id, bytes);
        taken += bytes;
      };
    },
  };
}

class Part {
  readonly #size: Size;
  /** By owner. */
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(size: Size) {
    this.#size = size;
  }

  take(owner: string, bytes: number): void {
    const before = this.#taken.get(owner) ?? 0;
    if (this.#total + bytes > this.#size.all || before + bytes > this.#size.share)
      throw new HttpError("unavailable", { overloaded: true });
    this.#taken.set(owner, before + bytes);
    this.#total += bytes;
  }

  release(owner: string, bytes: number): void {
    const left = (this.#taken.get(owner) ?? 0) - bytes;
    this.#total -= bytes;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
  }
}
