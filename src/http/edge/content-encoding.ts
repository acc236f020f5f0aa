// Compressed responses: which encodings a client accepts, and bytes in one of them. Used by the console's files and by
// the pages of help/, whose bodies are created once and cached.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export type Encoding = "br" | "gzip" | "identity";

/** Higher qualities take ten times as long for little gain. */
const brotliQuality = 7;

const compressors: Readonly<Record<Exclude<Encoding, "identity">, (raw: Buffer) => Promise<Buffer>>> = {
  br: (raw) => promisify(brotliCompress)(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: promisify(gzip),
};

export async function encoded(raw: Buffer, encoding: Encoding): Promise<Buffer> {
  return encoding === "identity" ? raw : await compressors[encoding](raw);
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
