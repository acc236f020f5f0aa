// `lessor payment-methods` from a script.

import { beforeAll, expect, it } from "vitest";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { afterFile } from "../support/when-over.ts";
import { runLessor } from "./run-lessor.ts";

const whenOver = afterFile();
let stripe: FakeStripe;
let server: RunningServer;
let token: string;
beforeAll(async () => {
  stripe = await startFakeStripe(whenOver);
  server = await startServer({ config: { payments: stripe.settings } });
  whenOver(() => server.close());
  token = await server.customerToken("acme");
});

const customer = (...words: string[]) => runLessor(words, { env: { LESSOR_URL: server.url, LESSOR_TOKEN: token } });
/** As a webhook does. */
async function told(): Promise<void> {
  await stripe.deliver(server.url, stripe.world.events.at(-1));
  await server.reconciler.idle();
}

it("a payment method is entered at the page, listed and removed", async () => {
  expect((await customer("payment-methods", "list")).out).toContain("No payment methods.");
  const made = await customer("payment-methods", "add");
  const [session] = stripe.world.sessions;
  const id = session?.client_reference_id ?? "";
  expect(made).toMatchObject({ code: 0, out: `Enter it at ${session?.url}\n` });
  expect((await customer("payment-methods", "list")).out).toContain(session?.url ?? "none");
  stripe.world.saved.enter(id);
  await told();
  expect((await customer("payment-methods", "list")).out).toMatch(/saved +visa …4242 +8\/2030 +yes/);
  expect((await customer("payment-methods", "list", "--json")).out).toContain('"last4": "4242"');
  expect((await customer("payment-methods", "remove", id, "--yes")).out).toBe("Removed payment method visa …4242.\n");
  await server.reconciler.idle();
  expect(stripe.world.saved.methods.map((one) => one.customer)).toEqual([null]);
});

it("one whose page is not there yet says so", async () => {
  stripe.next(/POST .*sessions/, "error-before");
  expect((await customer("payment-methods", "add")).out).toMatch(/did not respond yet/);
  stripe.next(/POST .*sessions/, "error-before");
  expect((await customer("payment-methods", "add", "--json")).out).toContain('"status": "created"');
});
