// How a guest takes files while it runs, where its host cannot write into it: by lines on a port of its machine, which
// file-taker.sh reads and responds to. Used by libvirt/domain-xml.ts and libvirt/write-file.ts.
//
// Invariant: the response names its line, so that a late one is not taken for that of another.

import type { GuestFile } from "../engine.ts";

/** The name of the port in the guest. */
export const filesPort = "org.lessor.files.0";

/** What tells the guest to write the file, or to remove it. `token`: of this line alone, letters and digits. */
export function fileLine({ path, text }: GuestFile, token: string): string {
  if (!/^\/run\/lessor\/[a-z.]+$/.test(path)) throw new Error("BUG: a file elsewhere in the guest");
  return text === null ? `remove ${token} ${path}\n` : `put ${token} ${path} ${Buffer.from(text).toString("base64")}\n`;
}

/** What the guest responds when that is done. */
export function doneLine(token: string): string {
  return `done ${token}\n`;
}
