// The terminal of a machine in a real browser: under the service's Content-Security-Policy, with the session's cookie, over a
// real WebSocket into the simulated engine's stand-in.

import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { afterFile } from "../support/when-over.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

/** A machine of the customer "acme", up. */
async function machine(token: string): Promise<string> {
  const order = { instance_type_name: "gpu_2x_a6000", region_name: "any", ssh_key_names: [], quantity: 1 };
  const { body } = await call("POST", `${stand.marketplace}/instance-operations/launch`, { token, body: order });
  await stand.reconciler.idle();
  return (body as { data: { uuid: string } }).data.uuid;
}

describe("the terminal of a machine", () => {
  it("takes what is typed and shows what comes, says that it is simulated, and ends with a sentence", async () => {
    const token = await stand.customerToken("acme");
    const id = await machine(token);
    const page = await stand.signedIn(`/instances/${id}`, token);
    await page.getByRole("tab", { name: "Terminal" }).click();
    const connected = page.getByRole("tabpanel", { name: "Terminal" }).getByText("Connected", { exact: true });
    await connected.waitFor();
    await page.getByText("Simulated: this instance has no real terminal").waitFor();
    const screen = page.getByRole("region", { name: "Terminal, shell" });
    const shown = () => screen.locator(".xterm-rows").textContent();
    await expect.poll(shown).toContain("This is a simulated machine");
    await page.keyboard.type("nvidia-smx");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("i\n");
    await expect.poll(shown).toContain("No running processes found");
    // With the styles that xterm makes itself: rows of one height, one below the other.
    const tops = await screen
      .locator(".xterm-rows > div")
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect()));
    expect(new Set(tops.map(({ height }) => Math.round(height))).size).toBe(1);
    await page.keyboard.type("exit\n");
    await page.getByText("The session has ended.").waitFor();
    await page.getByRole("button", { name: "Reconnect" }).click();
    await connected.waitFor();
    const { body } = await call("GET", `${stand.control}/tokens`, { token });
    const { id: tokenId } = (body as { data: { id: string }[] }).data[0] ?? { id: "" };
    await call("DELETE", `${stand.control}/tokens/${tokenId}`, { token });
    await page
      .getByText(/no longer valid|Sign in/)
      .first()
      .waitFor();
  });
});
