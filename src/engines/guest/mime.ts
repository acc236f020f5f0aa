// A MIME multi-part message, the form of cloud-init's user-data that holds parts of several kinds.
// Invariant: no line of any part is the message's boundary. The same parts always make the same bytes, so that an engine
// can compare what it has stored. Used by user-data.ts.

import { createHash } from "node:crypto";

/** A part of a known type, sent as Base64; the file name is what cloud-init stores it under, in ASCII without quotes. */
export interface Part {
  readonly contentType: string;
  readonly fileName?: string;
  readonly body: Uint8Array;
}

/** A whole MIME message, headers and all, that becomes a part just as it is. */
export interface Message {
  readonly message: string;
}

/** The text of the message, with a line break as its end. */
export function multipart(parts: readonly (Part | Message)[]): string {
  const texts = parts.map((part) => ("message" in part ? part.message : encoded(part)));
  const boundary = boundaryFor(texts);
  const head = `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n\n`;
  return `${head}${texts.map((text) => `--${boundary}\n${text}\n`).join("")}--${boundary}--\n`;
}

function encoded({ contentType, fileName, body }: Part): string {
  const headers = [
    `Content-Type: ${contentType}${contentType.startsWith("text/") ? '; charset="utf-8"' : ""}`,
    "Content-Transfer-Encoding: base64",
    ...(fileName === undefined ? [] : [`Content-Disposition: attachment; filename="${fileName}"`]),
  ];
  return `${headers.join("\n")}\n\n${wrapped(Buffer.from(body).toString("base64"))}`;
}

/** RFC 2045, 6.8: lines of at most 76 characters. */
function wrapped(base64: string): string {
  return base64.replace(/.{76}(?=.)/g, "$&\n");
}

/** Base64 has no hyphen, so only a customer's own message can hold it; a text that holds its own digest cannot be made. */
function boundaryFor(texts: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  const boundary = `lessor-${digest.slice(0, 24)}`;
  if (texts.some((text) => text.includes(boundary))) throw new Error("BUG: a part holds the message's own digest");
  return boundary;
}
