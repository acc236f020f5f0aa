// kill -9 of servers while saved payment methods are charged automatically, by a provider that fails, and while these payments are refunded
// and disputed, and auto top-up is changed, turned off and turned on, by both servers at once. Whatever happens, each payment is
// charged at most once, of an account no more than its cap, and its balance is what is at the provider, less what it used.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { beforeAll, expect, it } from "vitest";
import { booksDisagree } from "../support/books.ts";
import { type FreshDatabase, freshDatabase } from "../support/database.ts";
import { type FakeStripe, type StripeFate, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { call } from "../support/http.ts";
import { chosenSeed, type Random, seeded } from "../support/random.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { type Customer, type Fleet, operatorToken, startFleet } from "./fleet.ts";

const kills = extent(30, 4);
const customers = 6;
const cap = 6000;
const fates: readonly StripeFate[] = ["die-before", "die-after", "error-before", "error-after", "busy"];

const whenOver = afterFile();
let fresh: FreshDatabase;
let fleet: Fleet;
let stripe: FakeStripe;
beforeAll(async () => {
  fresh = await freshDatabase();
  whenOver(() => fresh.close());
  stripe = await startFakeStripe(whenOver);
  const { secretKey, webhookSecrets, apiUrl } = stripe.settings.stripe;
  const keys = { secret_key: secretKey, webhook_secret: webhookSecrets.join(","), api_url: apiUrl };
  const settings = {
    payments: { currency: "usd", return_url: "https://cloud.acme.example", on_chargeback: "none", stripe: keys },
  };
  fleet = await startFleet({ databaseUrl: fresh.url, servers: 2, settings, whenOver });
});

/** Undefined: no server responded. */
const asked = (which: number, method: "POST" | "PUT" | "DELETE", path: string, token: string, body?: object) =>
  call(method, `${fleet.replicas[which % 2]?.bases.control}${path}`, { token, ...(body && { body }) }).catch(
    () => undefined,
  );

const chargesOf = ({ accountId }: Customer) =>
  stripe.world.intents.filter((one) => one.metadata.lessor_account === accountId);

/** Their intervals, delays, leases and pauses pass. Rows are locked in order, as others do. */
async function payments(): Promise<void> {
  await sql`delete from settings where name in ('duty:payment changes', 'duty:auto top-ups')`.execute(fresh.db);
  for (const table of ["payments", "payment_methods"]) {
    await sql`
      with waiting as (select id from ${sql.table(table)} where next_check_at is not null order by id for no key update)
      update ${sql.table(table)} t set lease_until = lease_until - interval '15 seconds',
        next_check_at = least(next_check_at, now()) from waiting where t.id = waiting.id`.execute(fresh.db);
  }
  await sql`
    with over as (select id from payments where status not in ('created', 'processing') order by id for no key update)
    update payments p set created_at = created_at - interval '20 minutes' from over where p.id = over.id`.execute(
    fresh.db,
  );
}

async function turnOn(customer: Customer, random: Random): Promise<void> {
  const body = { threshold_cents: 3000, amount_cents: random.one([500, 700, 1500]), monthly_cap_cents: cap };
  await Promise.all([0, 1].map((which) => asked(which, "PUT", "/auto-top-up", customer.token, body)));
}

async function saveMethod(customer: Customer, random: Random): Promise<void> {
  await asked(random.below(2), "POST", "/payment-methods", customer.token);
  for (const { client_reference_id: id, status } of stripe.world.sessions) {
    if (status === "open" && typeof id === "string") stripe.world.saved.enter(id);
  }
}

/** Both servers are asked at once for as much, so that both cannot be. */
async function refund(customer: Customer, random: Random): Promise<void> {
  const paid = chargesOf(customer).filter(({ status }) => status === "succeeded");
  const id = paid[random.below(paid.length)]?.metadata.lessor_payment;
  if (id === undefined) return;
  const body = { reason: "Not wanted", ...(random.below(2) === 0 && { amount_cents: 400 }) };
  await Promise.all([0, 1].map((which) => asked(which, "POST", `/payments/${id}/refunds`, operatorToken, body)));
}

async function act(customer: Customer, random: Random): Promise<void> {
  const any = chargesOf(customer)[random.below(chargesOf(customer).length)]?.metadata.lessor_payment;
  await random.one([
    () => saveMethod(customer, random),
    () => turnOn(customer, random),
    () => turnOn(customer, random),
    () => turnOn(customer, random),
    () => asked(random.below(2), "DELETE", "/auto-top-up", customer.token),
    () => refund(customer, random),
    async () => any !== undefined && random.below(4) === 0 && stripe.world.dispute(any, "needs_response"),
    async () => stripe.next(/intents/, random.one(fates)),
    async () => stripe.next(/./, random.one(fates)),
    async () => stripe.calm(),
    payments,
    payments,
  ])();
  await sleep(random.below(200));
}

it(`charges are right after ${kills} kills`, { timeout: 600_000 }, async () => {
  const random = seeded(chosenSeed);
  const all: Customer[] = [];
  for (let number = 0; number < customers; number++) all.push(await fleet.customer(`charged-${number}`));
  const enough = new AbortController();
  const busy = all.map(async (customer, number) => {
    const own = seeded(chosenSeed + number + 1);
    await saveMethod(customer, own);
    while (!enough.signal.aborted) await act(customer, own);
  });
  try {
    for (let kill = 0; kill < kills; kill++) {
      await sleep(500 + random.below(2500));
      await fleet.replicas[kill % 2]?.kill();
      await sleep(random.below(1000));
      await fleet.replicas[kill % 2]?.restart();
    }
  } finally {
    enough.abort();
    await Promise.all(busy);
  }
  stripe.calm();
  for (let time = 0; time < 6; time++) {
    await payments();
    await sleep(6000);
  }
  const wrong: string[] = [];
  for (const customer of all) {
    const { rows } = await sql<{ cents: number }>`
      select coalesce(sum(l.amount_micro_cents), 0)::float8 / 1000000 as cents from ledger_entries e
      join ledger_lines l on l.entry_id = e.id and l.ledger_account = 'balance'
      where e.account_id = ${customer.accountId}`.execute(fresh.db);
    const there = stripe.world.received(customer.accountId);
    if (rows[0]?.cents !== there) wrong.push(`${customer.accountId} has ${rows[0]?.cents}, at the provider ${there}`);
    const sum = chargesOf(customer).reduce((cents, one) => cents + one.amount_received, 0);
    if (sum > cap) wrong.push(`${sum} were charged of ${customer.accountId}`);
  }
  const made = stripe.world.intents.filter(({ status }) => status === "succeeded");
  const ids = made.map(({ metadata }) => metadata.lessor_payment);
  if (new Set(ids).size !== ids.length) wrong.push("a payment was charged twice");
  const { rows: open } = await sql<{ id: string; status: string }>`
    select id, status from payments where status not in ('paid', 'failed', 'canceled')`.execute(fresh.db);
  expect({ wrong, open, books: await booksDisagree(fresh.db) }).toEqual({ wrong: [], open: [], books: [] });
  for (const happened of [made, stripe.world.refunds]) expect(happened.length).toBeGreaterThan(0);
});
