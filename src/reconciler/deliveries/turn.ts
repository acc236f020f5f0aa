// One delivery run for one webhook, by the replica that holds its lease: reads events, attempts due deliveries with
// limited concurrency, and releases the lease when nothing is left or other webhooks are to run.

import type { Database } from "../../database/connect.ts";
import { openSecrets } from "../../rental/webhooks/secret.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import type { Log } from "../log.ts";
import { type DueDelivery, dueDeliveries } from "./due.ts";
import { type Held, type HeldWebhook, readHeld, releaseWebhook } from "./lease-store.ts";
import { readOn } from "./outbox.ts";
import { settle } from "./outcome.ts";
import { takeProbe } from "./pauses.ts";
import type { DeliverySettings } from "./settings.ts";
import type { Transport } from "./transport.ts";

export interface DeliveryTurnDependencies {
  readonly db: Database;
  readonly keyRing: KeyRing;
  readonly transport: Transport;
  readonly settings: DeliverySettings;
  readonly log: Log;
}

/** A run ends after this many attempts, or after a time, for the sake of other webhooks. */
const mostAttempts = 200;
const longestMs = 10_000;

export class DeliveryTurn {
  readonly held: Held;
  /** When the lease was last known to be held, by this process's clock. */
  renewedAt: number;
  readonly ended: Promise<void>;
  readonly #parts: DeliveryTurnDependencies;
  readonly #controller = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #began = performance.now();
  #attempts = 0;
  #retiring = false;
  /** There might be events to read. */
  #more = true;
  /** Something changed since the last step began. */
  #news = false;
  #wake: (() => void) | undefined;

  /** `claimedAt`: before the claim was sent. */
  constructor(parts: DeliveryTurnDependencies, held: Held, claimedAt: number) {
    this.#parts = parts;
    this.held = held;
    this.renewedAt = claimedAt;
    this.ended = this.#run();
  }

  /** There might be new events or requested deliveries. */
  poke(): void {
    this.#more = true;
    this.#notice();
  }

  /** Starts no further attempt and aborts those in progress: the lease was lost, or the replica stops. */
  abort(why: string): void {
    this.#retiring = true;
    this.#controller.abort(new Error(why));
    this.#notice();
  }

  async #run(): Promise<void> {
    const { db, log } = this.#parts;
    try {
      while (await this.#step()) await this.#pause();
    } catch (error) {
      // The database is unavailable. Attempts in progress end unrecorded, and the lease expires.
      log.warn({ webhook: this.held.id, error: String(error) }, "webhook delivery run failed");
      this.abort("the turn broke off");
    }
    await Promise.allSettled(this.#underWay.values());
    await releaseWebhook(db, this.held).catch((error: unknown) => {
      log.warn({ webhook: this.held.id, error: String(error) }, "cannot release the lease of a webhook");
    });
  }

  /** Starts what is due. False: the run is over. */
  async #step(): Promise<boolean> {
    const { db, settings } = this.#parts;
    this.#news = false;
    const webhook = await readHeld(db, this.held, settings);
    if (webhook === undefined) this.abort("the lease was lost");
    // Troubled webhooks have runs of their own, so that they delay no other.
    if (webhook === undefined || webhook.troubled !== this.held.troubled || this.#isLong()) this.#retiring = true;
    if (webhook?.account_active === false || webhook?.origin_paused === true) this.#retiring = true;
    const room = this.#room(webhook);
    if (!this.#retiring && webhook !== undefined && room > 0) {
      const reads = this.#more && webhook.active && !webhook.paused && webhook.pending < settings.window;
      this.#more = false;
      if (reads && (await readOn(db, this.held, webhook, settings))) this.#more = true;
      const due = await dueDeliveries(db, webhook, [...this.#underWay.keys()], room);
      const isProbe = webhook.origin_failing && due.length > 0;
      if (isProbe && !(await takeProbe(db, webhook.origin, settings))) this.#retiring = true;
      else for (const delivery of due) this.#begin(webhook, delivery, isProbe);
    }
    return this.#underWay.size > 0 || (!this.#retiring && this.#more);
  }

  #isLong(): boolean {
    return this.#attempts >= mostAttempts || performance.now() - this.#began > longestMs;
  }

  #begin(webhook: HeldWebhook, delivery: DueDelivery, isProbe: boolean): void {
    this.#attempts += 1;
    const ended = this.#attempt(webhook, delivery, isProbe).finally(() => {
      this.#underWay.delete(delivery.id);
      this.#notice();
    });
    this.#underWay.set(delivery.id, ended);
    ended.catch((error: unknown) => {
      this.#parts.log.warn(
        { webhook: webhook.id, delivery: delivery.id, error: String(error) },
        "delivery failed unexpectedly",
      );
      this.#retiring = true;
    });
  }

  async #attempt(webhook: HeldWebhook, delivery: DueDelivery, isProbe: boolean): Promise<void> {
    const { db, keyRing, transport, settings, log } = this.#parts;
    const { signal } = this.#controller;
    const secrets = openSecrets(keyRing, webhook);
    const seconds = settings.attemptSeconds;
    const { attempt } = await import("./attempt.ts");
    const made = await attempt({ transport, url: webhook.url, secrets, delivery, seconds, signal });
    if (made === undefined) return;
    const outcome = await settle(db, this.held, delivery, { ...made, isProbe }, settings);
    const { milliseconds, status_code: status, error } = made.attempt;
    const told = { webhook: webhook.id, delivery: delivery.id, event: delivery.event_type, ms: milliseconds };
    log.info({ ...told, status, error, outcome }, "webhook attempt");
  }

  #notice(): void {
    this.#news = true;
    this.#wake?.();
  }

  /** Waits until an attempt has ended or something changed; not while there is more to read and capacity for it. */
  async #pause(): Promise<void> {
    if (this.#news || this.#underWay.size === 0 || (this.#more && !this.#retiring && this.#room() > 0)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
    this.#wake = undefined;
  }

  /** How many attempts can be started; after a pause one, whose result decides. */
  #room(webhook?: HeldWebhook): number {
    const [inOrder, inTrouble] = this.#parts.settings.attemptsAtOnce;
    const most = this.held.troubled ? inTrouble : inOrder;
    const isTrying = webhook?.probing === true || webhook?.origin_failing === true;
    return (isTrying ? Math.min(1, most) : most) - this.#underWay.size;
  }
}
