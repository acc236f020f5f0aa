// Nothing that anybody sends makes the control interface fail: every operation, with nonsense in its path, query and
// body, answers what its document says it may, and never a 5xx (control.ask sees to both). npm test tries some
// hundreds, npm run test:crash thousands.

import { afterAll, beforeAll, describe, it } from "vitest";
import { type Control, startControl } from "../support/control.ts";
import { sample } from "../support/extent.ts";
import { fc } from "../support/properties.ts";

const nasty = [
  ...["", "x", "0", "-1", "null", "any", "..", "a/b", "%", "'; drop table hosts; --", "ä漢🙂", "x".repeat(5000)],
  ...["0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d", "2030-01-01T00:00:00Z", "north", "simulated", "read", "operator"],
  ...[0, -0, 1, -1, 0.1, 64, 2 ** 31 - 1, 2 ** 31, 2 ** 53, 1e300, -1e300, true, false, null],
];
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom(...nasty),
    fc.string({ unit: "binary" }),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("address", "model", "memory_gib", "numa_node", "gpus", "x"), tie("any"), {
      maxKeys: 4,
    }),
  ),
})).any;

/** Bodies that are good, so that one bad field is not always in the company of a missing one. */
const goodBodies: Record<string, object> = {
  "POST /accounts": { name: "x", quotas: { gpus: 1 }, status: "active", spend_limit_cents: 5 },
  "PATCH /accounts/{id}": { name: "x", quotas: { gpus: 1 } },
  "POST /accounts/{id}/tokens": { name: "x", scopes: ["read"], expires_at: null },
  "POST /tokens": { name: "x", scopes: ["read"], expires_at: null },
  "POST /file-systems": { name: "x", region: "north", size_gb: 1 },
  "POST /webhooks": { url: "https://example.com/", description: "x", event_types: ["instance.*"], active: false },
  "PUT /regions/{name}": { description: "x" },
  "PUT /hosts/{name}": { engine: "simulated", region: "north", vcpus: 8, memory_gib: 8, storage_gb: 8, gpus: [] },
  "PUT /instance-types/{name}": { vcpus: 1, memory_gib: 1, storage_gb: 1, price_cents_per_hour: 1, gpus: 0 },
  "PUT /images/{name}": { number: 1, login_user: "x", default: true },
  "PUT /coupons/{code}": { discount_percent: 1, deactivation_date: "2030-01-01T00:00:00Z", instance_types: [] },
};

let control: Control;
let operations: { method: string; path: string }[];
beforeAll(async () => {
  control = await startControl();
  await control.data("PUT", "/regions/north", { body: {} });
  operations = Object.entries(control.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
});
afterAll(() => control.close());

/** Text that is one part of a path, as a client would encode it. Dots alone would be taken for steps in the path. */
const part = (text: string) => (/^\.*$/.test(text) ? "%20" : encodeURIComponent(text.toWellFormed()));

describe("the control interface", () => {
  it("answers nonsense in a body with a refusal, or takes it", { timeout: sample(60_000, 1_200_000) }, async () => {
    const bodies = Object.entries(goodBodies);
    const arbitrary = fc.tuple(fc.constantFrom(...bodies), fc.nat(), value, fc.boolean());
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([[operation, good], which, bad, whole]) => {
        const [method = "", template = ""] = operation.split(" ");
        const keys = Object.keys(good);
        const body = whole ? bad : { ...good, [keys[which % keys.length] ?? ""]: bad };
        const path = template
          .replace("{id}", control.operator.principal.accountId)
          .replace(/\{\w+\}/, `n-${which % 7}`);
        // The operator must stay one.
        if (method === "PATCH" && "status" in Object(body)) return;
        await control.ask(method, path, { body });
      }),
      { numRuns: sample(150, 8000), seed: 1 },
    );
  });

  it("answers nonsense in a path and a query with a refusal, or with nothing found", {
    timeout: sample(60_000, 1_200_000),
  }, async () => {
    const text = fc.oneof(fc.constantFrom(...nasty.map(String)), fc.string({ unit: "binary", maxLength: 80 }));
    const names = ["limit", "cursor", "account_id", "status", "region", "instance_type", "types", "from", "x"];
    const arbitrary = fc.tuple(fc.nat(), text, fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 3 }));
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([which, given, query]) => {
        const gets = operations.filter(
          ({ method, path }) => method === "GET" || (method === "DELETE" && path.includes("{")),
        );
        const { method, path } = gets[which % gets.length] ?? { method: "GET", path: "/account" };
        const real = path.replaceAll(/\{\w+\}/g, () => part(given.slice(0, 1000)));
        const search = Object.entries(query).map(([name, one]) => `${name}=${encodeURIComponent(one.toWellFormed())}`);
        await control.ask(method, `${real}?${search.join("&")}`);
      }),
      { numRuns: sample(150, 8000), seed: 2 },
    );
  });
});
