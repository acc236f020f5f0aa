// Webhooks for tests, in a World (world.ts): made through the rental's own functions, delivered by as many servers as a
// test starts, to receivers on loopback (receiver.ts).

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { type Deliveries, startDeliveries } from "../../src/reconciler/deliveries/deliveries.ts";
import type { DeliverySettings } from "../../src/reconciler/deliveries/settings.ts";
import type { Resolve } from "../../src/reconciler/deliveries/transport.ts";
import { recordEvents } from "../../src/rental/events/record.ts";
import type { Principal, Service } from "../../src/rental/service.ts";
import {
  type Delivery,
  type DeliveryInFull,
  listDeliveries,
  readDelivery,
} from "../../src/rental/webhooks/delivery.ts";
import { defaultWebhookSettings } from "../../src/rental/webhooks/settings.ts";
import {
  createWebhook,
  readWebhook,
  type WebhookOrder,
  type WithSecret,
} from "../../src/rental/webhooks/webhook-store.ts";
import { type Received, startReceiver } from "./receiver.ts";
import type { Logged } from "./stage.ts";
import { afterTest } from "./when-over.ts";
import type { World } from "./world.ts";

/** Everything is allowed, and nothing takes long. */
export const loose: Partial<DeliverySettings> = {
  allowPrivateTargets: true,
  retrySeconds: [0.05, 0.05, 0.05],
  pauseSeconds: [0.05, 0.2],
  pollSeconds: 0.05,
  leaseSeconds: 5,
  attemptSeconds: 5,
};

/** The numbers of `happen` that came, in their order. */
export const numbers = (requests: readonly Received[]) => requests.map(({ body }) => body.data.n);
export const ofSubject = (requests: readonly Received[], subject: string) =>
  requests.filter(({ body }) => body.data.subject === subject);

export class Hooks {
  readonly #world: World;
  readonly logged: Logged[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  /** The world's, where http:// and loopback are allowed. */
  get service(): Service {
    const webhooks = { ...defaultWebhookSettings, allowHttp: true, allowPrivateTargets: true };
    return { ...this.#world.service, webhooks };
  }

  make(principal: Principal, order: Partial<WebhookOrder> & Pick<WebhookOrder, "url">): Promise<WithSecret> {
    const whole = { description: "", eventTypes: ["instance.*"], active: true, ...order };
    return this.#world.tx((tx) => createWebhook(tx, this.service, principal, whole));
  }

  /** An account with a webhook to a receiver of its own. */
  async withReceiver(order: Partial<WebhookOrder> = {}) {
    const principal = await this.#world.account();
    const receiver = await startReceiver();
    const webhook = await this.make(principal, { url: `${receiver.url}/hook?a=b`, ...order });
    const status = async () => (await this.list(principal, webhook.id)).map((one) => one.status);
    return { principal, receiver, webhook, status, subject: randomUUID() };
  }

  /** Delivers as one server does. Stopped after the test. */
  deliver(settings: Partial<DeliverySettings> = {}, resolve?: Resolve): Deliveries {
    const deliveries = startDeliveries({
      db: this.#world.db,
      keyRing: this.#world.service.keyRing,
      settings: { ...loose, ...settings },
      log: {
        info: (details, message) => void this.logged.push({ level: "info", message, ...details }),
        warn: (details, message) => void this.logged.push({ level: "warn", message, ...details }),
        error: (details, message) => void this.logged.push({ level: "error", message, ...details }),
      },
      ...(resolve === undefined ? {} : { resolve }),
    });
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= deliveries.stop();
      return stopped;
    };
    afterTest(stop);
    return { ...deliveries, stop };
  }

  /** Writes one event for each number, about this subject, of type `instance.progress`. */
  async happen(principal: Principal, subjectId: string, ...numbers: readonly number[]): Promise<void> {
    const { accountId } = principal;
    const events = numbers.map((n) => ({
      accountId,
      type: "instance.progress" as const,
      subjectId,
      data: { n, subject: subjectId },
    }));
    await this.#world.tx((tx) => recordEvents(tx, events));
  }

  /** Newest first. */
  async list(principal: Principal, webhookId: string): Promise<Delivery[]> {
    return (await listDeliveries(this.#world.db, principal, webhookId, { limit: 10_000 })).deliveries;
  }

  full(principal: Principal, webhookId: string, id: string): Promise<DeliveryInFull> {
    return readDelivery(this.#world.db, principal, webhookId, id);
  }

  read(principal: Principal, webhookId: string) {
    return readWebhook(this.#world.db, principal, webhookId);
  }

  /** How many webhooks somebody has a lease on. */
  async leases(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from webhooks where lease_owner is not null`.execute(this.#world.db);
    return rows[0]?.count ?? 0;
  }
}
