// Drives payments to what they are at the provider: orders pages, asks what became of them, and reads what changed there. The
// control interface orders through it, and the reconciler runs the rest on every replica.
//
// Invariants: a payment is committed before the provider is asked, and every attempt carries its id, so a process that dies at
// any step leaves what the next one finds. No transaction waits for the provider. An order that got no response is searched
// for before it is repeated, and is given up only when the provider says that it has none.

import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import { accountsToTopUp, orderAutomatic } from "../rental/auto-top-ups/order.ts";
import { type AutoTopUpOrder, putAutoTopUp } from "../rental/auto-top-ups/store.ts";
import { hintMethods } from "../rental/payment-methods/checks.ts";
import { applyReport, failPayment, type PaymentReport } from "../rental/payments/apply.ts";
import {
  claimPayment,
  hintAllPayments,
  hintPayments,
  holdsClaim,
  type PaymentHint,
  readCursor,
  retryPayment,
  settlePayment,
  writeCursor,
} from "../rental/payments/checks.ts";
import { type ClaimedPayment, createPayment } from "../rental/payments/payment-store.ts";
import { applyOutcomes } from "../rental/payments/refund-store.ts";
import type { Principal } from "../rental/service.ts";
import { ownFailures, type PaymentSettings, type TopUpLimits } from "../rules/payments.ts";
import { chargeOf } from "./charges.ts";
import { PaymentMethods } from "./methods.ts";
import type { PaymentGate } from "./points.ts";
import { changesReachSeconds, type PaymentProvider, ProviderError } from "./provider.ts";
import { noRefunds, orderRefunds, type Refunded } from "./refunds.ts";
import { type Checked, isNew, leaseSeconds, retrySeconds } from "./times.ts";

export interface PaymentsParts {
  readonly db: Database;
  readonly provider: PaymentProvider;
  readonly settings: PaymentSettings;
  readonly gate?: PaymentGate;
}

/** How far before the last known change the list is read again, in seconds: changes of one moment are not listed at once. */
const overlapSeconds = 300;

export class Payments {
  readonly methods: PaymentMethods;
  readonly #db: Database;
  readonly #provider: PaymentProvider;
  readonly #settings: PaymentSettings;
  readonly #gate: PaymentGate;

  constructor({ db, provider, settings, gate = (_point, pass) => pass() }: PaymentsParts) {
    this.#db = db;
    this.#provider = provider;
    this.#settings = settings;
    this.#gate = gate;
    this.methods = new PaymentMethods({ db, provider: provider.methods, gate });
  }

  get limits(): TopUpLimits {
    return this.#settings;
  }

  /**
   * Orders a payment, and asks the provider for its page once; without a response the page comes later. Returns its id: that
   * of an earlier one with this `orderKey`. Throws RentalError invalid-parameters, quota-exceeded.
   */
  async order(by: Principal, amountCents: number, orderKey?: string): Promise<string> {
    const order = { by, provider: this.#provider.name, amountCents, orderKey };
    const claimed = await this.#gate("paymentOrdered", () =>
      inTransaction(this.#db, (tx) => createPayment(tx, order, this.#settings, leaseSeconds)),
    );
    if (typeof claimed === "string") return claimed;
    await this.#check(claimed);
    return claimed.id;
  }

  /** Orders the automatic payments that accounts need now. They are charged as what is due. */
  async orderAutomatic(): Promise<void> {
    const terms = { provider: this.#provider.name, currency: this.#settings.currency };
    for (const accountId of await accountsToTopUp(this.#db)) {
      await this.#gate("automaticOrdered", () => inTransaction(this.#db, (tx) => orderAutomatic(tx, accountId, terms)));
    }
  }

  /** Throws RentalError invalid-parameters, conflict, unknown-object. */
  putAutoTopUp(tx: Transaction, accountId: string, order: AutoTopUpOrder): Promise<void> {
    return putAutoTopUp(tx, accountId, order, this.#settings);
  }

  /** Checks the payment that has been due for longest. Undefined: none is due. */
  async checkNext(): Promise<Checked | undefined> {
    const claimed = await this.#gate("paymentClaimed", () => claimPayment(this.#db, leaseSeconds));
    return claimed && { id: claimed.id, problem: await this.#check(claimed) };
  }

  /** Makes what changed at the provider due, whatever webhooks were lost. Throws ProviderError. */
  async readChanges(): Promise<void> {
    const { name } = this.#provider;
    const cursor = await readCursor(this.#db, name);
    if (cursor === undefined) {
      // What is read from now on does not have what changed before, of payments whose webhooks were lost.
      await inTransaction(this.#db, async (tx) => {
        await hintAllPayments(tx);
        await writeCursor(tx, name, undefined);
      });
      return;
    }
    const from = new Date(cursor.until.getTime() - overlapSeconds * 1000);
    const { hints, until } = await this.#gate("paymentChangesListed", () => this.#provider.changesSince(from));
    await this.#gate("paymentChangesNoted", () =>
      inTransaction(this.#db, async (tx) => {
        if (cursor.secondsAgo > changesReachSeconds) await hintAllPayments(tx);
        for (let at = 0; at < hints.length; at += 1000) await hintAll(tx, hints.slice(at, at + 1000));
        await writeCursor(tx, name, until);
      }),
    );
  }

  /** Takes a webhook. Throws ForgedWebhook. */
  async takeWebhook(body: Uint8Array, signature: string): Promise<void> {
    const hint = this.#provider.hintOf(body, signature);
    if (hint !== undefined) await inTransaction(this.#db, (tx) => hintAll(tx, [hint]));
  }

  /** Returns what was not done. */
  async #check(claimed: ClaimedPayment): Promise<string | undefined> {
    try {
      const report = await this.#reportOf(claimed);
      const { takenBack, outcomes, problem } = await this.#refunds(claimed, report);
      await this.#gate("paymentApplied", () =>
        inTransaction(this.#db, async (tx) => {
          if (!(await holdsClaim(tx, claimed))) return;
          if (typeof report === "string") await failPayment(tx, claimed.id, report);
          else {
            const all = { ...report, takenBack: [...report.takenBack, ...takenBack] };
            await applyReport(tx, claimed.id, all, this.#settings.onChargeback);
            await applyOutcomes(tx, claimed, outcomes);
          }
          if (problem === undefined) await settlePayment(tx, claimed);
        }),
      );
      if (problem !== undefined) await retryPayment(this.#db, claimed, retrySeconds);
      return problem;
    } catch (error) {
      await retryPayment(this.#db, claimed, retrySeconds);
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Orders what is to be paid back of what has arrived. */
  #refunds(claimed: ClaimedPayment, report: PaymentReport | string): Promise<Refunded> {
    const parts = { db: this.#db, provider: this.#provider, gate: this.#gate };
    return typeof report === "string" ? noRefunds : orderRefunds(parts, claimed, report);
  }

  /** What the provider says; or why it never got the payment. Throws ProviderError. */
  async #reportOf(claimed: ClaimedPayment): Promise<PaymentReport | string> {
    if (claimed.paymentMethodId !== null) {
      return chargeOf({ db: this.#db, provider: this.#provider.charges, gate: this.#gate }, claimed);
    }
    if (claimed.checkoutId !== null) return this.#gate("paymentRead", () => this.#provider.retrieve(claimed));
    const canOrder = claimed.status === "created" && isNew(claimed);
    if (!canOrder || claimed.tries > 0) {
      const found = await this.#gate("paymentFound", () => this.#provider.find(claimed));
      if (found !== undefined) return found;
    }
    if (!canOrder) return ownFailures.unreachable;
    try {
      return await this.#gate("paymentCreated", () => this.#provider.createCheckout(claimed, claimed.tries));
    } catch (error) {
      if (error instanceof ProviderError && error.kind === "refused") return ownFailures.rejected;
      throw error;
    }
  }
}

async function hintAll(tx: Transaction, hints: readonly PaymentHint[]): Promise<void> {
  await hintPayments(tx, hints);
  await hintMethods(tx, hints);
}
