// What holds for the whole interface: which operations there are, and who may call them. Source: decisions, section 9.

import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, startControl } from "../../../test/support/control.ts";
import { expectDocumented } from "../../../test/support/openapi.ts";

interface Content {
  "application/json": { schema: object; examples?: Record<string, { value: unknown }> };
}
interface Documented {
  requestBody?: { content: Content };
  responses: Record<string, { content: Content }>;
}

/** The table of the decisions: operations, and the scope that each needs. */
const operations: readonly [
  method: string,
  path: string,
  scope: "read" | "write" | "operator" | "read or operator" | "write or operator" | "write, or none",
][] = [
  ["GET", "/accounts", "operator"],
  ["POST", "/accounts", "operator"],
  ["GET", "/accounts/{id}", "operator"],
  ["PATCH", "/accounts/{id}", "operator"],
  ["GET", "/accounts/{id}/tokens", "operator"],
  ["POST", "/accounts/{id}/tokens", "operator"],
  ["PATCH", "/accounts/{id}/tokens/{token_id}", "operator"],
  ["DELETE", "/accounts/{id}/tokens/{token_id}", "operator"],
  ["GET", "/accounts/{id}/balance", "operator"],
  ["GET", "/accounts/{id}/ledger", "operator"],
  ["POST", "/accounts/{id}/top-ups", "operator"],
  ["POST", "/accounts/{id}/refunds", "operator"],
  ["POST", "/accounts/{id}/adjustments", "operator"],
  ["GET", "/vouchers", "operator"],
  ["POST", "/vouchers", "operator"],
  ["DELETE", "/vouchers/{id}", "operator"],
  ["POST", "/vouchers/redeem", "write"],
  ["GET", "/balance", "read"],
  ["POST", "/top-ups", "write"],
  ["GET", "/top-ups", "read"],
  ["GET", "/top-ups/{id}", "read"],
  ["GET", "/auto-top-up", "read"],
  ["PUT", "/auto-top-up", "write"],
  ["DELETE", "/auto-top-up", "write"],
  ["GET", "/budget-alerts", "read"],
  ["POST", "/budget-alerts", "write"],
  ["DELETE", "/budget-alerts/{id}", "write"],
  ["POST", "/payment-methods", "write"],
  ["GET", "/payment-methods", "read"],
  ["GET", "/payment-methods/{id}", "read"],
  ["DELETE", "/payment-methods/{id}", "write"],
  ["GET", "/payments", "operator"],
  ["GET", "/payments/{id}", "operator"],
  ["POST", "/payments/{id}/refunds", "operator"],
  ["GET", "/payments/{id}/refunds", "operator"],
  ["GET", "/accounts/{id}/payments", "operator"],
  ["GET", "/ledger", "read"],
  ["GET", "/account/billing-details", "read"],
  ["PATCH", "/account/billing-details", "write"],
  ["GET", "/accounts/{id}/billing-details", "operator"],
  ["PATCH", "/accounts/{id}/billing-details", "operator"],
  ["GET", "/invoices", "read"],
  ["GET", "/accounts/{id}/invoices", "operator"],
  ["GET", "/invoices/{id}", "read or operator"],
  ["GET", "/invoices/{id}/pdf", "read or operator"],
  ["POST", "/invoices/{id}/credit-notes", "operator"],
  ["GET", "/accounting/{month}", "operator"],
  ["GET", "/regions", "operator"],
  ["PUT", "/regions/{name}", "operator"],
  ["DELETE", "/regions/{name}", "operator"],
  ["GET", "/hosts", "operator"],
  ["GET", "/engines", "operator"],
  ["GET", "/hosts/{name}", "operator"],
  ["PUT", "/hosts/{name}", "operator"],
  ["DELETE", "/hosts/{name}", "operator"],
  ["POST", "/hosts/{name}/cordon", "operator"],
  ["POST", "/hosts/{name}/uncordon", "operator"],
  ["POST", "/hosts/{name}/drain", "operator"],
  ["POST", "/hosts/{name}/declare-lost", "operator"],
  ["POST", "/hosts/{name}/fence", "operator"],
  ["GET", "/gpu-partitions", "operator"],
  ["GET", "/gpus", "operator"],
  ["POST", "/hosts/{name}/gpus/{address}/quarantine", "operator"],
  ["POST", "/hosts/{name}/gpus/{address}/retest", "operator"],
  ["POST", "/hosts/{name}/gpus/{address}/validate", "operator"],
  ["POST", "/hosts/{name}/gpus/{address}/release", "operator"],
  ["GET", "/gpu-policies", "operator"],
  ["PUT", "/gpu-policies/{model}", "operator"],
  ["DELETE", "/gpu-policies/{model}", "operator"],
  ["POST", "/instances/{id}/move", "operator"],
  ["PATCH", "/hosts/{name}", "operator"],
  ["GET", "/maintenance-windows", "read or operator"],
  ["POST", "/maintenance-windows", "operator"],
  ["GET", "/maintenance-windows/{id}", "read or operator"],
  ["PATCH", "/maintenance-windows/{id}", "operator"],
  ["DELETE", "/maintenance-windows/{id}", "operator"],
  ["POST", "/maintenance-windows/{id}/defer", "write"],
  ["GET", "/instance-types", "operator"],
  ["PUT", "/instance-types/{name}", "operator"],
  ["DELETE", "/instance-types/{name}", "operator"],
  ["GET", "/images", "read or operator"],
  ["PUT", "/images/{name}", "operator"],
  ["DELETE", "/images/{name}", "operator"],
  ["GET", "/coupons", "operator"],
  ["PUT", "/coupons/{code}", "operator"],
  ["DELETE", "/coupons/{code}", "operator"],
  ["GET", "/instances", "read or operator"],
  ["GET", "/capacity", "operator"],
  ["GET", "/encryption", "operator"],
  ["POST", "/encryption/rotate", "operator"],
  ["POST", "/encryption/retire", "operator"],
  ["GET", "/replicas", "operator"],
  ["GET", "/emails", "operator"],
  ["POST", "/emails/test", "operator"],
  ["GET", "/simulator/faults", "operator"],
  ["POST", "/simulator/faults", "operator"],
  ["DELETE", "/simulator/faults", "operator"],
  ["DELETE", "/simulator/faults/{id}", "operator"],
  ["POST", "/simulator/hosts/{name}/fail", "operator"],
  ["POST", "/simulator/hosts/{name}/revive", "operator"],
  ["GET", "/instances/{id}", "read or operator"],
  ["GET", "/offers", "read or operator"],
  ["GET", "/quote", "read"],
  ["POST", "/instances", "write"],
  ["PATCH", "/instances/{id}", "write"],
  ["POST", "/instances/{id}/stop", "write or operator"],
  ["POST", "/instances/{id}/restart", "write or operator"],
  ["POST", "/instances/{id}/terminate", "write or operator"],
  ["GET", "/instances/{id}/console-log", "read or operator"],
  ["GET", "/instances/{id}/metrics", "read or operator"],
  ["POST", "/instances/{id}/reboot", "write or operator"],
  ["POST", "/instances/{id}/report-fault", "write"],
  ["GET", "/launches", "read or operator"],
  ["GET", "/launches/{id}", "read or operator"],
  ["POST", "/launches/{id}/cancel", "write or operator"],
  ["GET", "/capacity-notices", "read"],
  ["POST", "/capacity-notices", "write"],
  ["DELETE", "/capacity-notices/{id}", "write"],
  ["GET", "/reservations", "read or operator"],
  ["GET", "/reservations/{id}", "read or operator"],
  ["POST", "/reservations", "write"],
  ["POST", "/reservations/{id}/cancel", "write or operator"],
  ["GET", "/reservation-quote", "read"],
  ["GET", "/reservation-calendar", "read"],
  ["GET", "/firewall-rules", "read"],
  ["PUT", "/firewall-rules", "write"],
  ["GET", "/firewall-rulesets", "read"],
  ["POST", "/firewall-rulesets", "write"],
  ["GET", "/firewall-rulesets/{id}", "read"],
  ["PATCH", "/firewall-rulesets/{id}", "write"],
  ["DELETE", "/firewall-rulesets/{id}", "write"],
  ["GET", "/usage", "read or operator"],
  ["GET", "/usage/days", "read or operator"],
  ["GET", "/usage/months", "read or operator"],
  ["GET", "/statements", "read or operator"],
  ["GET", "/statements/{month}", "read or operator"],
  ["GET", "/audit-log", "read or operator"],
  ["GET", "/account", "read"],
  ["PATCH", "/account", "write"],
  ["GET", "/tokens", "read"],
  ["POST", "/tokens", "write"],
  ["PATCH", "/tokens/{id}", "write"],
  ["DELETE", "/tokens/{id}", "write"],
  ["GET", "/members", "read"],
  ["PATCH", "/members/{id}", "write"],
  ["DELETE", "/members/{id}", "write"],
  ["GET", "/invitations", "read"],
  ["POST", "/invitations", "write"],
  ["DELETE", "/invitations/{id}", "write"],
  ["POST", "/invitations/accept", "write, or none"],
  ["GET", "/sessions", "read"],
  ["DELETE", "/sessions", "write"],
  ["DELETE", "/sessions/{id}", "write"],
  ["POST", "/sessions/switch", "write"],
  ["GET", "/teams", "read"],
  ["GET", "/accounts/{id}/members", "operator"],
  ["POST", "/accounts/{id}/invitations", "operator"],
  ["GET", "/ssh-keys", "read"],
  ["POST", "/ssh-keys", "write"],
  ["DELETE", "/ssh-keys/{id}", "write"],
  ["GET", "/file-systems", "read"],
  ["POST", "/file-systems", "write"],
  ["DELETE", "/file-systems/{id}", "write"],
  ["GET", "/events", "read or operator"],
  ["GET", "/events/stream", "read or operator"],
  ["GET", "/webhooks", "read"],
  ["POST", "/webhooks", "write"],
  ["GET", "/webhooks/{id}", "read"],
  ["PATCH", "/webhooks/{id}", "write"],
  ["DELETE", "/webhooks/{id}", "write"],
  ["POST", "/webhooks/{id}/rotate-secret", "write"],
  ["POST", "/webhooks/{id}/test", "write"],
  ["GET", "/webhooks/{id}/deliveries", "read"],
  ["GET", "/webhooks/{id}/deliveries/{delivery_id}", "read"],
  ["POST", "/webhooks/{id}/deliveries/{delivery_id}/resend", "write"],
];

let control: Control;
let tokens: Record<"read" | "write" | "operator", string>;
beforeAll(async () => {
  control = await startControl();
  const tokenWith = async (scope: "read" | "write" | "operator") => (await control.customer([scope])).token;
  tokens = { read: await tokenWith("read"), write: await tokenWith("write"), operator: await tokenWith("operator") };
});
afterAll(() => control.close());

const real = (path: string) => path.replaceAll(/\{\w+\}/g, "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d");

describe("the interface", () => {
  it("has the operations of the decisions, and no others", () => {
    const documented = Object.entries(control.document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(operations.map(([method, path]) => `${method} ${path}`).sort());
  });

  it("pages every list", () => {
    const lists = [
      "/accounts",
      "/accounts/{id}/tokens",
      "/regions",
      "/hosts",
      "/engines",
      "/instance-types",
      "/images",
      "/coupons",
    ];
    const more = [
      "/instances",
      "/offers",
      "/ssh-keys",
      "/members",
      "/invitations",
      "/accounts/{id}/members",
      "/usage",
      "/capacity",
      "/tokens",
      "/file-systems",
      "/events",
      "/webhooks",
      "/webhooks/{id}/deliveries",
      "/usage/days",
      "/usage/months",
      "/statements",
      "/statements/{month}",
    ];
    for (const path of [...lists, ...more]) {
      const operation = control.document.paths[path]?.get as { parameters?: { name: string }[] } | undefined;
      expect(
        operation?.parameters?.map(({ name }) => name),
        path,
      ).toEqual(expect.arrayContaining(["limit", "cursor"]));
    }
  });

  // Streams and files have no answer in JSON.
  const others = ["/events/stream", "/invoices/{id}/pdf", "/accounting/{month}"];
  const answering = operations.filter(([, path]) => !others.includes(path));
  it.each(answering)("shows examples for %s %s, of an answer as it says answers are", (method, path) => {
    const operation = control.document.paths[path]?.[method.toLowerCase()] as Documented | undefined;
    const answer = operation?.responses["200"]?.content["application/json"].examples?.example?.value;
    expect(answer, "an example of the answer").toBeDefined();
    expectDocumented(control.document, method, real(path), 200, answer);
    if (operation?.requestBody === undefined) return;
    const { schema, examples } = operation.requestBody.content["application/json"];
    const { components } = control.document as { components?: { schemas?: Record<string, object> } };
    const name = String((schema as { $ref?: string }).$ref).replace("#/components/schemas/", "");
    const validate = new Ajv2020({ strict: false }).compile({ ...schema, components });
    expect(validate(examples?.example?.value) ? [] : validate.errors).toEqual([]);
    // What a schema does not know is ignored, so an example would not show that it is wrong.
    const known = Object.keys((components?.schemas?.[name] as { properties?: object } | undefined)?.properties ?? {});
    expect(known).toEqual(expect.arrayContaining(Object.keys((examples?.example?.value as object) ?? {})));
  });

  it("has a documentation page", async () => {
    const { status, text } = await control.call("GET", `${control.url}/docs/`);
    expect([status, text]).toEqual([200, expect.stringContaining("Control API")]);
  });

  it("answers other methods with 405, and other paths with 404", async () => {
    const options = { token: control.operator.token };
    const wrong = await control.call("PATCH", `${control.url}/regions/x`, options);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "DELETE, PUT"]);
    expect((await control.call("GET", `${control.url}/nothing`, options)).status).toBe(404);
  });
});

describe.each(operations)("%s %s", (method, path, needed) => {
  it("is closed without a token, and with a wrong one", async () => {
    for (const token of needed.endsWith("none") ? ["lessor_wrong"] : [null, "lessor_wrong"]) {
      const result = await control.ask(method, real(path), { token });
      expect([result.status, codeOf(result)]).toEqual([401, "global/invalid-api-key"]);
    }
  });

  it(`needs ${needed}, and nothing else opens it`, async () => {
    for (const scope of ["read", "write", "operator"] as const) {
      const result = await control.ask(method, real(path), {
        token: tokens[scope],
        body: method === "GET" ? undefined : {},
      });
      if (needed.split(/,? or /).includes(scope)) expect(result.status, scope).not.toBe(403);
      else expect([result.status, codeOf(result)], scope).toEqual([403, "global/forbidden"]);
    }
  });
});
