// A customer's user-data as a part of ours. cloud-init finds out the kind of a `text/plain` part by its first line
// (`#cloud-config`, `#!`, `#include`, `## template: jinja` …), but looks for a MIME message and for gzip only at the very
// start of all user-data, where ours stands (cloudinit/user_data.py, convert_string). So those two are recognized here.
//
// Base64 of any of these is undone as well, as cloud-init does on EC2: Terraform's cloudinit_config makes Base64 of gzip
// of MIME unless told otherwise. No format of cloud-init looks like Base64, so nothing else can be meant.
// Invariant: what is not recognized goes to cloud-init byte for byte, which says in its log that it does not know it.

import { gunzipSync } from "node:zlib";
import type { Message, Part } from "./mime.ts";

/** What user-data may grow to when it is unpacked: more than anyone writes, less than hurts the service. */
const mostUnpackedBytes = 4 * 1024 * 1024;

/** The customer's part, or undefined where there is nothing but white space. */
export function customerPart(userData: string): Part | Message | undefined {
  if (userData.trim() === "") return undefined;
  const body = unpacked(userData) ?? Buffer.from(userData, "utf8");
  const text = body.toString("utf8");
  return isMessage(text) ? { message: text } : { contentType: "text/plain", body };
}

/** What Base64 holds, unpacked where it is gzip; undefined: it is no Base64, or what it holds is of no use. */
function unpacked(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, "");
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return undefined;
  const bytes = Buffer.from(compact, "base64");
  // A lone word may look like Base64 too.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    return /^(#|[!-9;-~]+:)/.test(bytes.toString("latin1")) ? bytes : undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: mostUnpackedBytes });
  } catch {
    // Damaged, or too large: cloud-init gets what the customer wrote, and tells them so in its log.
    return undefined;
  }
}

/** cloud-init's own test, and a header in the first line: a `#cloud-config` may speak of MIME too. */
function isMessage(text: string): boolean {
  return /^[!-9;-~]+:/.test(text) && text.slice(0, 4096).toLowerCase().includes("mime-version:");
}
