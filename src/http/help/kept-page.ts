// A page or file of help/: created at the first request, and cached, with its ETag and in each requested encoding.
// Invariant: every page has the same strict Content-Security-Policy: scripts and styles are files of this origin,
// nothing is inline, and requests go to this origin only. A picture loads nothing.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Html } from "../../rules/html.ts";
import { etagOf, isFresh } from "../api/conditional.ts";
import { acceptedEncodings, bestOf, type Encoding, encoded } from "../edge/content-encoding.ts";

export const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const safety = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** A picture may contain its own style, and loads nothing. */
const pictureSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export interface PageBody {
  readonly type: string;
  readonly body: string | Buffer;
}

export const htmlPage = (page: Html): PageBody => ({ type: "text/html; charset=utf-8", body: page.text });

export class CachedPage {
  readonly #make: () => Promise<PageBody>;
  #made: Promise<{ type: string; raw: Buffer; etag: string }> | undefined;
  readonly #bodies = new Map<Encoding, Promise<Buffer>>();

  constructor(make: () => Promise<PageBody>) {
    this.#make = make;
  }

  /** Sends it, or 304. */
  async send(request: FastifyRequest, reply: FastifyReply, status = 200): Promise<FastifyReply> {
    const { type, raw, etag } = await this.#page();
    const encoding = bestOf(acceptedEncodings(request.headers["accept-encoding"]));
    reply.headers({ ...safety, etag, "cache-control": "no-cache", vary: "Accept-Encoding" });
    if (type === "image/svg+xml") reply.header("content-security-policy", pictureSecurityPolicy);
    if (status === 200 && isFresh(request.headers["if-none-match"], etag)) return reply.code(304).send();
    const body = this.#bodies.get(encoding) ?? encoded(raw, encoding, "small");
    this.#bodies.set(encoding, body);
    if (encoding !== "identity") reply.header("content-encoding", encoding);
    return reply
      .code(status)
      .type(type)
      .send(await body);
  }

  #page() {
    this.#made ??= this.#make().then(({ type, body }) => {
      const raw = Buffer.from(body);
      return { type, raw, etag: etagOf(raw) };
    });
    // The next request tries again.
    this.#made.catch(() => {
      this.#made = undefined;
    });
    return this.#made;
  }
}
