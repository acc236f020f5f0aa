// POST /payments/stripe/webhook on the main port: the payment provider says that something changed. It needs no token: its
// signature is verified, over the bytes as they came.
//
// Invariants: it is a hint only, so one that is forged, doubled, late or replayed credits nothing; its payment becomes due, and
// the reconciler asks the provider. A signature that is wrong is counted like a token that is not valid, and costs one hash for
// each secret; what has none is not read.

import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Payments } from "../../payments/driver.ts";
import { ForgedWebhook } from "../../payments/provider.ts";
import type { HttpContext } from "../api/context.ts";
import { HttpError } from "../errors/api-error.ts";

export const paymentWebhookPath = "/payments/stripe/webhook";

/** Several times what the largest event of a payment takes. */
const mostBytes = 256 * 1024;

export interface PaymentWebhookParts {
  readonly payments: Pick<Payments, "takeWebhook">;
  readonly failures: HttpContext["failures"];
}

export function paymentWebhookRoute(server: FastifyInstance, { payments, failures }: PaymentWebhookParts): void {
  server.post(
    paymentWebhookPath,
    {
      schema: { hide: true, body: Type.Unknown() },
      config: { rawBody: true, mostBodyBytes: mostBytes },
      onRequest: async (request, reply) => {
        failures.refuseAfterFailures(request, reply, () => false);
        // Each page can make a browser send that: it must not keep the people behind its address from signing in.
        if (request.headers["stripe-signature"] === undefined) throw forged();
      },
    },
    async (request) => {
      const { body } = request;
      const signature = request.headers["stripe-signature"];
      try {
        if (!(body instanceof Uint8Array) || typeof signature !== "string") throw new ForgedWebhook();
        await payments.takeWebhook(body, signature);
      } catch (error) {
        if (!(error instanceof ForgedWebhook)) throw error;
        failures.noteFailure(request);
        throw forged();
      }
      return { received: true };
    },
  );
}

const forged = () =>
  new HttpError("malformed-request", { problem: "its signature is not that of the payment provider." });
