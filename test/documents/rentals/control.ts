// What the control interface has of a rental, with a client typed by its document: an operator puts a product and an account
// with a token, a customer launches, reads what it costs, and gives the machine an end. Taking it away is not among it: that
// is the marketplace interface's, whose types are generated beside.

import process from "node:process";
import createClient from "openapi-fetch";
import { client, given, setting, until } from "./steps.ts";
import type { components, paths } from "./types/control.ts";
import type { paths as MarketplacePaths } from "./types/marketplace.ts";

const operator = createClient<paths>(client);

const product = given(
  await operator.PUT("/instance-types/{name}", {
    params: { path: { name: "from-a-client" } },
    body: { description: "Small", gpus: 0, vcpus: 2, memory_gib: 4, storage_gb: 20, price_cents_per_hour: 7 },
  }),
).data;
const products = given(await operator.GET("/instance-types")).data;
if (!products.some(({ name }) => name === product.name)) throw new Error("the product is not listed");
const account = given(await operator.POST("/accounts", { body: { name: "by-a-client" } })).data;
const { token } = given(
  await operator.POST("/accounts/{id}/tokens", {
    params: { path: { id: account.id } },
    body: { name: "rental", scopes: ["read", "write"] },
  }),
).data;

const headers = { authorization: `Bearer ${token}` };
const customer = createClient<paths>({ ...client, headers });
const answer = given(
  await customer.POST("/instances", {
    params: { header: { "Idempotency-Key": "once" } },
    body: { instance_type: product.name, max_lifetime_seconds: 3600 },
  }),
).data;
// Without `wait`, it is no launch that waits.
const [launched] = Array.isArray(answer) ? answer : [];
if (launched === undefined) throw new Error("nothing was launched");

async function read(id: string): Promise<components["schemas"]["Instance"]> {
  return given(await customer.GET("/instances/{id}", { params: { path: { id } } })).data;
}
const active = await until(
  () => read(launched.id),
  ({ status }) => status === "active",
);
given(
  await customer.PATCH("/instances/{id}", {
    params: { path: { id: active.id } },
    body: { max_lifetime_seconds: 7200 },
  }),
);
const usage = given(await customer.GET("/usage", { params: { query: { limit: 10 } } }));
if (typeof usage === "string") throw new Error("CSV, which was not asked for");
if (usage.data[0]?.price_cents_per_hour !== 7) throw new Error(`not what it costs: ${JSON.stringify(usage)}`);

const marketplace = createClient<MarketplacePaths>({ baseUrl: setting("LESSOR_MARKETPLACE_URL"), headers });
given(await marketplace.POST("/instance-operations/terminate", { body: { instance_ids: [active.id] } }));
const ended = await until(
  () => read(active.id),
  ({ status }) => status === "terminated",
);
process.stdout.write(`${ended.id} ${ended.status}\n`);
