// Turns a customer's user-data into a part of ours. cloud-init detects the kind of a `text/plain` part by its first
// line (`#cloud-config`, `#!`, `#include`, `## template: jinja` …), but MIME messages and gzip only at the start of the
// whole user-data, which is ours (cloudinit/user_data.py, convert_string). So this file detects those two.
//
// It also decodes Base64 of any of these, as cloud-init does on EC2: Terraform's cloudinit_config creates Base64 of
// gzip of MIME by default. No cloud-init format looks like Base64, so this is unambiguous. Invariant: everything else
// goes to cloud-init byte for byte, which logs that it does not know it.

import { gunzipSync } from "node:zlib";
import type { Message, Part } from "./mime.ts";

/** Limit of unpacked user-data: more than anyone writes, and harmless to the service. */
const mostUnpackedBytes = 4 * 1024 * 1024;

/** The customer's part; undefined if it contains only white space. */
export function customerPart(userData: string): Part | Message | undefined {
  if (userData.trim() === "") return undefined;
  const body = unpacked(userData) ?? Buffer.from(userData, "utf8");
  const text = body.toString("utf8");
  return isMessage(text) ? { message: text } : { contentType: "text/plain", body };
}

/** The decoded Base64, unpacked if it is gzip; undefined: not Base64, or nothing useful in it. */
function unpacked(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, "");
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return undefined;
  const bytes = Buffer.from(compact, "base64");
  // A single word can look like Base64 too.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    return /^(#|[!-9;-~]+:)/.test(bytes.toString("latin1")) ? bytes : undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: mostUnpackedBytes });
  } catch {
    // Damaged or too large: cloud-init gets the original and logs the problem.
    return undefined;
  }
}

/** cloud-init's own test, plus a header in the first line: a `#cloud-config` can mention MIME too. */
function isMessage(text: string): boolean {
  return /^[!-9;-~]+:/.test(text) && text.slice(0, 4096).toLowerCase().includes("mime-version:");
}
