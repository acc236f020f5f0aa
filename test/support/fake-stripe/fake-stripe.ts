// A fake of Stripe on loopback, for the official library in front of it: its API, the customers at its pages, and its signed
// webhooks.
//
//   const stripe = await startFakeStripe();                       // closed when the test is over
//   stripe.next(/sessions/, "die-after");                         // what becomes of the next request of this path
//   stripe.world.pay(paymentId);
//   await stripe.deliver(url, stripe.world.events.at(-1));

import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { PaymentSettings } from "../../../src/rules/payments.ts";
import { afterTest, type WhenOver } from "../when-over.ts";
import { answerOf } from "./routes.ts";
import { type Asked, fieldsIn, IdempotencyKeys, StripeFault } from "./transport.ts";
import { type StripeEvent, StripeWorld } from "./world.ts";

/**
 * `die`: the connection ends without a response. `error`: status 500. Before or after the work. `busy`: status 429. `refuse`:
 * status 400. `hang`: nothing is done and nothing answered. `drip`: nothing is done, and the response never ends.
 */
export type StripeFate =
  | "die-before"
  | "die-after"
  | "error-before"
  | "error-after"
  | "busy"
  | "refuse"
  | "hang"
  | "drip";

export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>;

const secretKey = "sk_test_canary_of_the_secret_key";
const webhookSecret = "whsec_canary_of_the_webhook_secret";

export async function startFakeStripe(whenOver: WhenOver = afterTest) {
  const world = new StripeWorld();
  const keys = new IdempotencyKeys();
  const fates: { readonly path: RegExp; readonly fate: StripeFate }[] = [];
  const requests: Asked[] = [];

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://stripe");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = request.method === "POST" ? Buffer.concat(chunks).toString() : url.search.slice(1);
    const asked: Asked = { method: request.method ?? "", path: url.pathname, fields: fieldsIn(form) };
    requests.push(asked);
    const at = fates.findIndex(({ path }) => path.test(`${asked.method} ${asked.path}`));
    const fate = at < 0 ? undefined : fates.splice(at, 1)[0]?.fate;
    if (fate === "hang") return;
    if (fate === "drip") {
      const drops = setInterval(() => response.write(" "), 100);
      return void response.once("close", () => clearInterval(drops));
    }
    if (fate === "die-before") return void request.socket.destroy();
    const send = (status: number, body: string, isReplayed = false) => {
      if (fate === "die-after") return void request.socket.destroy();
      const headers = { "request-id": "req_fake", ...(isReplayed && { "idempotent-replayed": "true" }) };
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    };
    const key = request.method === "POST" ? request.headers["idempotency-key"] : undefined;
    try {
      if (request.headers.authorization !== `Bearer ${secretKey}`) {
        throw new StripeFault(401, {
          type: "invalid_request_error",
          message: "Invalid API Key provided: sk_test_****",
        });
      }
      if (fate === "busy") throw new StripeFault(429, { type: "invalid_request_error", code: "rate_limit" });
      if (fate === "refuse") throw new StripeFault(400, { type: "invalid_request_error", code: "amount_too_small" });
      const kept = typeof key === "string" ? keys.begin(key, asked) : undefined;
      if (kept !== undefined) return send(kept.status, kept.body, true);
      try {
        const body = fate === "error-before" ? "" : JSON.stringify(answerOf(world, asked));
        const isError = fate === "error-before" || fate === "error-after";
        const answer = isError ? { status: 500, body: errorBody({ type: "api_error" }) } : { status: 200, body };
        if (typeof key === "string") keys.keep(key, answer);
        send(answer.status, answer.body);
      } catch (error) {
        // Invalid fields: the work did not begin. A card that is declined is an answer.
        const isDeclined = error instanceof StripeFault && error.status === 402;
        const answer = isDeclined ? { status: 402, body: errorBody(error.error) } : undefined;
        if (typeof key === "string") keys.keep(key, answer);
        throw error;
      }
    } catch (error) {
      const fault =
        error instanceof StripeFault ? error : new StripeFault(500, { type: "api_error", message: String(error) });
      send(fault.status, errorBody(fault.error));
    }
  }

  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  whenOver(close);
  const settings: PaymentSettings = {
    ...{ currency: "usd", minAmountCents: 500, maxAmountCents: 1_000_000, onChargeback: "hold" },
    returnUrl: "https://cloud.acme.example/balance",
    stripe: { secretKey, webhookSecrets: [webhookSecret], apiUrl: `http://127.0.0.1:${port}` },
  };

  return {
    world,
    keys,
    requests,
    settings,
    close,
    /** What becomes of the next request whose method and path match. */
    next: (path: RegExp, ...all: StripeFate[]) => fates.push(...all.map((fate) => ({ path, fate }))),
    calm: () => void fates.splice(0),
    signed,
    /** Sends a webhook as Stripe does. */
    deliver: (to: string, event: StripeEvent | undefined, more: Partial<Signing> = {}) => {
      const body = JSON.stringify(event ?? {});
      return fetch(`${to}/payments/stripe/webhook`, {
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8", "stripe-signature": signed(body, more) },
        body: more.body ?? body,
      });
    },
  };
}

interface Signing {
  readonly secret: string;
  /** Seconds ago. */
  readonly ago: number;
  /** What is sent instead of what was signed. */
  readonly body: string;
}

function signed(body: string, { secret = webhookSecret, ago = 0 }: Partial<Signing> = {}): string {
  const time = Math.floor(Date.now() / 1000) - ago;
  return `t=${time},v1=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
}

const errorBody = (error: object) => JSON.stringify({ error });
