// Drives saved payment methods to what they are at the provider, as driver.ts does payments: orders the page where a customer
// enters one, reads what became of it, detaches what was removed here, and notices what was removed there.
//
// Invariants: a method is committed before the provider is asked, and every attempt carries its id, so a process that dies at
// any step leaves what the next one finds. An order that got no response is searched for before it is repeated. What an
// account removed is detached, also if it is entered at that moment.

import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import {
  applyDetails,
  applyPage,
  applyRefused,
  applyRemoved,
  forgetCustomer,
  type MethodPage,
  noteCustomer,
  readCustomer,
} from "../rental/payment-methods/apply.ts";
import { claimMethod, settleMethod } from "../rental/payment-methods/checks.ts";
import { type ClaimedMethod, createMethod } from "../rental/payment-methods/method-store.ts";
import { holdsClaimOf, retryClaim } from "../rental/payments/claims.ts";
import type { Principal } from "../rental/service.ts";
import type { MethodProvider } from "./method-provider.ts";
import type { PaymentGate } from "./points.ts";
import { ProviderError } from "./provider.ts";
import { type Checked, isNew, leaseSeconds, retrySeconds } from "./times.ts";

export interface MethodsParts {
  readonly db: Database;
  readonly provider: MethodProvider;
  readonly gate: PaymentGate;
}

/** How to apply what the provider said. */
type Apply = (tx: Transaction) => Promise<void>;

export class PaymentMethods {
  readonly #db: Database;
  readonly #provider: MethodProvider;
  readonly #gate: PaymentGate;

  constructor({ db, provider, gate }: MethodsParts) {
    [this.#db, this.#provider, this.#gate] = [db, provider, gate];
  }

  /**
   * Begins saving one, and asks the provider for its page once; without a response the page comes later. Returns its id: that
   * of an earlier one with this `orderKey`. Throws RentalError quota-exceeded.
   */
  async order(by: Principal, orderKey?: string): Promise<string> {
    const claimed = await this.#gate("methodOrdered", () =>
      inTransaction(this.#db, (tx) => createMethod(tx, by, orderKey, leaseSeconds)),
    );
    if (typeof claimed === "string") return claimed;
    await this.#check(claimed);
    return claimed.id;
  }

  /** Checks the one that has been due for longest. Undefined: none is due. */
  async checkNext(): Promise<Checked | undefined> {
    const claimed = await this.#gate("methodClaimed", () => claimMethod(this.#db, leaseSeconds));
    return claimed && { id: claimed.id, problem: await this.#check(claimed) };
  }

  /** Returns what was not done. */
  async #check(claimed: ClaimedMethod): Promise<string | undefined> {
    try {
      const apply = await this.#outcomeOf(claimed);
      await this.#gate("methodApplied", () =>
        inTransaction(this.#db, async (tx) => {
          if (!(await holdsClaimOf(tx, "payment_methods", claimed))) return;
          await apply(tx);
          await settleMethod(tx, claimed);
        }),
      );
      return undefined;
    } catch (error) {
      await retryClaim(this.#db, "payment_methods", claimed, retrySeconds);
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #outcomeOf(claimed: ClaimedMethod): Promise<Apply> {
    const { id, status, checkoutId } = claimed;
    if (status === "removing") return this.#remove(claimed);
    if (status === "saved") return this.#read(claimed);
    if (checkoutId === null) return this.#create(claimed);
    const page = await this.#gate("methodRead", () => this.#provider.readPage(checkoutId));
    return (tx) => applyPage(tx, id, page);
  }

  async #create(claimed: ClaimedMethod): Promise<Apply> {
    const { id, tries } = claimed;
    const refused: Apply = (tx) => applyRefused(tx, id);
    const canOrder = isNew(claimed);
    if (!canOrder || tries > 0) {
      const found = await this.#gate("methodFound", () => this.#provider.findPage(claimed));
      if (found !== undefined) return (tx) => applyPage(tx, id, found);
    }
    if (!canOrder) return refused;
    const customerId = await this.#customerOf(claimed);
    try {
      const page = await this.#gate("methodCreated", () => this.#provider.createPage(claimed, customerId, tries));
      return (tx) => applyPage(tx, id, page);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind === "missing") await this.#gate("customerForgotten", () => this.#forget(claimed, customerId));
      if (error.kind !== "refused") throw error;
      return refused;
    }
  }

  /** A customer whose creation got no response is searched for before another one is created. */
  async #customerOf({ accountId, createdAt, tries }: ClaimedMethod): Promise<string> {
    const customer = await readCustomer(this.#db, accountId);
    if (customer === undefined) throw new Error("BUG: a payment method without a customer");
    if (customer.customerId !== undefined) return customer.customerId;
    const isFirst = tries === 0 && customer.createdAt.getTime() === createdAt.getTime();
    const found = isFirst
      ? undefined
      : await this.#gate("customerFound", () => this.#provider.findCustomer(accountId, customer.createdAt));
    const key = `${accountId}-${customer.generation}-${tries}`;
    const made = found ?? (await this.#gate("customerCreated", () => this.#provider.createCustomer(accountId, key)));
    const noted = await this.#gate("customerNoted", () => noteCustomer(this.#db, accountId, customer, made));
    if (noted === undefined) throw new ProviderError("missing", { code: "customer" });
    return noted;
  }

  #forget({ accountId }: ClaimedMethod, customerId: string): Promise<void> {
    return forgetCustomer(this.#db, accountId, customerId);
  }

  async #read({ id, providerMethodId }: ClaimedMethod): Promise<Apply> {
    if (providerMethodId === null) throw new Error("BUG: a saved payment method without the provider's id");
    const details = await this.#gate("methodRead", () => this.#provider.readMethod(providerMethodId));
    return (tx) => (details === undefined ? applyRemoved(tx, id) : applyDetails(tx, id, details));
  }

  /** A page that is not known has no address that a customer could have. */
  async #remove(claimed: ClaimedMethod): Promise<Apply> {
    const { id, checkoutId } = claimed;
    let { providerMethodId } = claimed;
    if (providerMethodId === null && checkoutId !== null) {
      const page = await this.#gate("methodRead", () => this.#provider.readPage(checkoutId));
      if (page.status === "pending") await this.#gate("methodPageEnded", () => this.#end(page));
      providerMethodId = page.details?.providerMethodId ?? null;
    }
    const entered = providerMethodId;
    if (entered !== null) await this.#gate("methodDetached", () => this.#provider.detach(entered));
    return (tx) => applyRemoved(tx, id);
  }

  /** Throws ProviderError if something was entered there at this moment, so that it is read again. */
  async #end({ checkoutId, checkoutUrl }: MethodPage): Promise<void> {
    if (checkoutUrl === null) throw new ProviderError("unanswered", { code: "setup_in_progress" });
    await this.#provider.endPage(checkoutId);
  }
}
