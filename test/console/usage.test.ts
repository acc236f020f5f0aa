// What each token of an account used, in the console: also of one that is revoked, and with one question to the service.

import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

async function ask(token: string, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${stand.control}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBeLessThan(300);
  const text = await answer.text();
  return text === "" ? undefined : (JSON.parse(text) as { data: unknown }).data;
}

it("the tokens that launched something are told apart, with how many machines each launched", async () => {
  const token = await stand.customerToken("usage");
  const ci = { name: "ci", scopes: ["read", "write"] };
  const made = (await ask(token, "POST", "/tokens", ci)) as { id: string; token: string };
  await ask(token, "POST", "/instances", { instance_type: "cpu_8x_general", quantity: 2 });
  await ask(made.token, "POST", "/instances", { instance_type: "cpu_8x_general" });
  await ask(token, "DELETE", `/tokens/${made.id}`);
  await stand.reconciler.idle();

  const page = await stand.signedIn("/instances", token);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/usage?")) asked.push(request.url());
  });
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("tab", { name: "Tokens" }).click();
  const machines = (name: string) =>
    page
      .getByRole("row")
      .filter({ has: page.getByText(name, { exact: true }) })
      .getByRole("cell")
      .first();
  await expect.poll(() => machines("ci").textContent()).toBe("1");
  expect(await machines("test").textContent()).toBe("2");
  expect(asked).toHaveLength(1);
});
