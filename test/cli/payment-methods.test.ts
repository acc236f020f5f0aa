// `lessor payment-methods` and `lessor auto-top-up` from a script.

import { beforeAll, expect, it } from "vitest";
import { Payments } from "../../src/payments/driver.ts";
import { openStripe } from "../../src/payments/stripe/open-stripe.ts";
import { type FakeStripe, startFakeStripe } from "../support/fake-stripe/fake-stripe.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { travel } from "../support/time-travel.ts";
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

it("auto top-up is turned on, charges, is turned off after declines, and removed", async () => {
  const auto = (...words: string[]) => customer("auto-top-up", ...words);
  expect((await auto("show")).out).toBe("Auto top-up is off.\n");
  await customer("payment-methods", "add");
  stripe.world.saved.enter(stripe.world.sessions.at(-1)?.client_reference_id ?? "", "declining");
  await told();
  const on = await auto("on", "--below", "20", "--amount", "50", "--cap", "500", "--yes");
  expect(on.out).toMatch(/Status +on\n *Below +\$20\.00\n *Amount +\$50\.00\n *Monthly cap +\$500\.00/);
  for (let time = 0; time < 2; time++) {
    const { settings } = stripe;
    const payments = new Payments({ db: server.db, provider: openStripe(settings), settings });
    await payments.orderAutomatic();
    while ((await payments.checkNext()) !== undefined);
    await server.reconciler.idle();
    await travel(server.db, "901 seconds");
  }
  expect((await auto("show")).out).toMatch(/Status +turned off: generic_decline/);
  expect((await auto("show", "--json")).out).toContain('"turned_off_reason": "generic_decline"');
  expect((await auto("off")).out).toBe("Auto top-up is off.\n");
  expect((await auto("on", "--below", "20", "--amount", "x", "--cap", "500", "--yes")).code).toBe(2);
});

it("one whose page is not there yet says so", async () => {
  stripe.next(/POST .*sessions/, "error-before");
  expect((await customer("payment-methods", "add")).out).toMatch(/did not respond yet/);
  stripe.next(/POST .*sessions/, "error-before");
  expect((await customer("payment-methods", "add", "--json")).out).toContain('"status": "created"');
});
