// A MIME multi-part message, cloud-init's format for user-data with several parts. Invariant: no line of a part equals
// the boundary, and the same parts give the same bytes, so that engines can compare stored data. Used by user-data.ts.

import { createHash } from "node:crypto";

/** A part of a known type, sent as Base64; the file name is where cloud-init stores it, in ASCII without quotes. */
export interface Part {
  readonly contentType: string;
  readonly fileName?: string;
  readonly body: Uint8Array;
}

/** A complete MIME message, with headers, included unchanged as a part. */
export interface Message {
  readonly message: string;
}

/** The text of the message, ending in a line break. */
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

/** Only a customer's own message could contain it, because Base64 has no hyphen; and a text cannot contain its own digest. */
function boundaryFor(texts: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  const boundary = `lessor-${digest.slice(0, 24)}`;
  if (texts.some((text) => text.includes(boundary))) throw new Error("BUG: a part holds the message's own digest");
  return boundary;
}
