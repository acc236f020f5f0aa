// `lessor payments` from a script.

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

const as = (by: string) => (words: readonly string[]) =>
  runLessor(["payments", ...words], { env: { LESSOR_URL: server.url, LESSOR_TOKEN: by } });
const customer = (...words: string[]) => as(token)(words);
const operator = (...words: string[]) => as(server.operatorToken)(words);

it("a top-up says where it is paid, and is listed as paid after the webhook", async () => {
  expect((await customer("list")).out).toContain("No payments.");
  const made = await customer("top-up", "49.90");
  const [session] = stripe.world.sessions;
  const id = session?.client_reference_id ?? "";
  expect(made).toMatchObject({ code: 0, out: `Pay $49.90 at ${session?.url}\n` });
  stripe.world.pay(id);
  await stripe.deliver(server.url, stripe.world.events.at(-1));
  await server.reconciler.idle();
  expect((await customer("show", id)).out).toMatch(/Amount +\$49\.90\n *Status +paid/);
  expect((await customer("list")).out).toMatch(/paid +\$49\.90/);
  expect((await operator("list", "--account", "acme", "--status", "paid", "--json")).out).toContain(id);
  expect((await operator("list", "--all", "--status", "pending")).out).toContain("No payments.");
  expect((await customer("list", "--all")).err).toContain("operator");
  expect(await operator("list", "--status", "lost")).toMatchObject({ code: 2 });
});

it("a top-up whose page is not there yet says so", async () => {
  stripe.next(/POST .*sessions/, "error-before");
  const { out } = await customer("top-up", "5", "--json");
  const { id } = JSON.parse(out) as { id: string };
  expect((await customer("show", id)).out).toMatch(/Status +created/);
  stripe.next(/POST .*sessions/, "error-before");
  expect((await customer("top-up", "5")).out).toMatch(/did not respond yet.*lessor payments show /);
});

it("an operator pays back a payment, and sees what became of it", async () => {
  const { out } = await customer("top-up", "20", "--json");
  const { id } = JSON.parse(out) as { id: string };
  stripe.world.pay(id);
  await stripe.deliver(server.url, stripe.world.events.at(-1));
  await server.reconciler.idle();
  expect((await operator("refunds", id)).out).toContain("No refunds.");
  const made = await operator("refund", id, "5", "--reason", "Paid twice", "--yes");
  expect(made).toMatchObject({ code: 0, out: `Ordered a refund of $5.00. See lessor payments refunds ${id}.\n` });
  expect((await operator("refund", id, "15.01", "--reason", "More", "--yes")).err).toContain(
    "Only 1500 cents are left",
  );
  await server.reconciler.idle();
  expect((await operator("refunds", id)).out).toMatch(/succeeded +\$5\.00.*Paid twice/);
  expect((await operator("refund", id, "--reason", "Rest", "--json", "--yes")).out).toContain('"amount_cents": 1500');
  expect((await customer("refund", id, "--reason", "Mine", "--yes")).err).toContain("operator");
});

it("a dispute is listed, and holds its account until an operator lifts that", async () => {
  const { out } = await customer("top-up", "20", "--json");
  const { id } = JSON.parse(out) as { id: string };
  stripe.world.pay(id);
  await stripe.deliver(server.url, stripe.world.events.at(-1));
  await server.reconciler.idle();
  expect((await operator("list", "--disputed")).out).toContain("No payments.");
  stripe.world.dispute(id, "needs_response");
  await stripe.deliver(server.url, stripe.world.events.at(-1));
  await server.reconciler.idle();
  expect((await operator("list", "--disputed")).out).toMatch(new RegExp(`${id} +paid +acme +yes`));
  expect((await operator("list", "--account", "acme", "--json")).out.match(/"disputed": true/g)).toHaveLength(1);
  const accounts = (...words: string[]) =>
    runLessor(["accounts", ...words], { env: { LESSOR_URL: server.url, LESSOR_TOKEN: server.operatorToken } });
  expect((await accounts("show", "acme")).out).toContain("On hold since");
  const balance = () => runLessor(["balance"], { env: { LESSOR_URL: server.url, LESSOR_TOKEN: token } });
  expect((await balance()).out).toMatch(/On hold since +\S+ \S+ UTC: a payment was disputed\. Ask your provider/);
  const lifted = await accounts("change", "acme", "--lift-hold");
  expect([lifted.code, lifted.out.includes("On hold since")]).toEqual([0, false]);
});
