// Errors of a connection that never became a request: headers too large or too slow, or invalid HTTP. They too get the
// one error body, written by hand, because there is no reply object.

import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { HttpError } from "./api-error.ts";
import { responseForError } from "./response.ts";

/**
 * For Fastify's `clientErrorHandler`. `mayRespond`: whether an error response is next on a connection from which
 * nothing more can be read. With earlier requests unanswered it would be taken for the response to one of them.
 */
export function createConnectionErrorHandler(log: Logger, mayRespond: (socket: Socket) => boolean) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    // It ends when what was written has been sent; further data is not read.
    if (socket.writableEnded && error.code !== "ECONNRESET") return;
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    const refusal = refusalFrom(error.code);
    log.info({ request_id: requestId, code: error.code, kind: refusal.kind }, "connection rejected");
    if (mayRespond(socket)) socket.end(rawAnswer(refusal, requestId), () => socket.destroy());
  };
}

/** A whole HTTP response, as text. */
export function rawAnswer(refusal: HttpError, requestId: string): string {
  const { status, headers, body } = responseForError(refusal, "otherwise", requestId);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    "x-request-id": requestId,
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", text].join("\r\n");
}

function refusalFrom(code: string | undefined): HttpError {
  if (code === "HPE_HEADER_OVERFLOW") return new HttpError("headers-too-large", {});
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new HttpError("request-timeout", {});
  return new HttpError("malformed-request", { problem: "it is not valid HTTP." });
}
