// One delivery attempt: a POST with a deadline. Only 2xx counts as delivered; redirects are not followed. A limited
// part of the response is read and stored in the delivery log.

import { Webhook } from "standardwebhooks";
import { type Dispatcher, errors, request } from "undici";
import type { AttemptError } from "../../rental/webhooks/attempt-errors.ts";
import type { Attempt } from "../../rental/webhooks/delivery.ts";
import type { DueDelivery } from "./due.ts";
import type { Transport } from "./transport.ts";

const keptBytes = 1024;
/** Milliseconds that reading the response body can take. The status is known by then. */
const answerMs = 2000;

export interface Call {
  readonly transport: Transport;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly delivery: DueDelivery;
  readonly seconds: number;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

export interface Made {
  readonly attempt: Attempt;
  /** Whether a connection was made, whatever the response. */
  readonly reached: boolean;
}

/** The result. Undefined if aborted: the outcome is unknown. */
export async function attempt(call: Call): Promise<Made | undefined> {
  const began = performance.now();
  const deadline = AbortSignal.timeout(call.seconds * 1000);
  const signal = AbortSignal.any([call.signal, deadline]);
  const connection = call.transport.connection(call.url, signal);
  let reached = false;
  connection.once("connect", () => {
    reached = true;
  });
  const ended = (found: Pick<Attempt, "status_code" | "error" | "answer">): Made => {
    const milliseconds = Math.round(performance.now() - began);
    return { attempt: { at: new Date().toISOString(), milliseconds, ...found }, reached };
  };
  try {
    const { statusCode, answer } = await send(call, connection, signal);
    return ended({ status_code: statusCode, error: errorOf(statusCode), answer });
  } catch (error) {
    if (call.signal.aborted) return undefined;
    return ended({ status_code: null, error: deadline.aborted ? "timeout" : wordFor(error), answer: "" });
  } finally {
    void connection.destroy();
  }
}

async function send({ url, secrets, delivery, seconds }: Call, dispatcher: Dispatcher, signal: AbortSignal) {
  const { statusCode, body } = await request(url, {
    dispatcher,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "lessor-webhooks/1",
      ...signatureHeaders(secrets, delivery.event_id, new Date(), delivery.body),
    },
    body: delivery.body,
    signal,
    headersTimeout: seconds * 1000,
    bodyTimeout: answerMs,
    reset: true,
  });
  const chunks: Buffer[] = [];
  let size = 0;
  const patience = setTimeout(() => body.destroy(), answerMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= keptBytes) break;
    }
  } catch {
    // The status is known; a missing part of the body does not matter.
  } finally {
    clearTimeout(patience);
    body.destroy();
  }
  return { statusCode, answer: textOf(Buffer.concat(chunks).subarray(0, keptBytes)) };
}

/** What PostgreSQL can store: UTF-8 without NUL. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes).replaceAll("\0", "\ufffd");
}

function errorOf(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return "gone";
  return status >= 300 && status < 400 ? "redirect" : "status";
}

const words: Readonly<Record<string, AttemptError>> = {
  TARGET_REFUSED: "target_refused",
  ENOTFOUND: "name_not_found",
  ENODATA: "name_not_found",
  EAI_AGAIN: "name_not_found",
  ESERVFAIL: "name_not_found",
  EREFUSED: "name_not_found",
  EBADNAME: "name_not_found",
  ETIMEOUT: "timeout",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "invalid_answer",
  ECONNREFUSED: "connection_refused",
};

function wordFor(error: unknown): AttemptError {
  const code = codeOf(error);
  if (error instanceof errors.HTTPParserError || code.startsWith("HPE_")) return "invalid_answer";
  if (/^(ERR_TLS|ERR_SSL|ERR_OSSL|EPROTO|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/.test(code)) {
    return "tls";
  }
  return words[code] ?? "connection_failed";
}

/** If several addresses were tried, the error code of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string" && error.code !== "") return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error.cause === undefined ? "" : codeOf(error.cause);
}

/**
 * The headers that sign a delivery, as Standard Webhooks 1.0.0 defines them: one signature per secret, so that receivers
 * can verify with either secret during a rotation. `secrets`: whsec_…, newest first.
 */
function signatureHeaders(
  secrets: readonly string[],
  eventId: string,
  at: Date,
  body: string,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  return {
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(eventId, at, body)).join(" "),
  };
}
