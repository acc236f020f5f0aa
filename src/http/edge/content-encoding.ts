// Compressed responses: which encodings a client accepts, and bytes in one of them. Used by the console's files and by
// the pages of help/, whose bodies are created once and cached.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export type Encoding = "br" | "gzip" | "identity";

/** `small` takes ten times as long for a tenth less: 0.8 s for a page of 840 kB. */
const brotliQualities = { quick: 7, small: 10 } as const;
export type Effort = keyof typeof brotliQualities;

const compressors: Readonly<Record<Exclude<Encoding, "identity">, (raw: Buffer, effort: Effort) => Promise<Buffer>>> = {
  br: (raw, effort) =>
    promisify(brotliCompress)(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQualities[effort] } }),
  gzip: (raw) => promisify(gzip)(raw),
};

export async function encoded(raw: Buffer, encoding: Encoding, effort: Effort = "quick"): Promise<Buffer> {
  return encoding === "identity" ? raw : await compressors[encoding](raw, effort);
}

/** The encodings that an Accept-Encoding header accepts; a weight of 0 excludes one. */
export function acceptedEncodings(header: string | undefined): ReadonlySet<Encoding> {
  const accepted = new Set<Encoding>(["identity"]);
  for (const one of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if ((name === "br" || name === "gzip") && !isRefused) accepted.add(name);
  }
  return accepted;
}

/** The smallest of them. */
export function bestOf(accepted: ReadonlySet<Encoding>): Encoding {
  return (["br", "gzip"] as const).find((one) => accepted.has(one)) ?? "identity";
}
