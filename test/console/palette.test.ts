// The palette: it opens with Ctrl-K or its button, and leads to pages, actions and instances; none of its code is in the first
// page.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { serious } from "./support/accessibility.ts";
import { settled } from "./support/browser.ts";
import { builtConsole } from "./support/built-console.ts";
import { type Stand, startStand } from "./support/stand.ts";

const whenOver = afterFile();
let stand: Stand;
beforeAll(async () => {
  stand = await startStand(whenOver);
});

it("opens with Ctrl-K and goes to a page, an action, or an instance by its name", async () => {
  const token = await stand.customerToken("finder");
  const answer = await fetch(`${stand.control}/instances`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ instance_type: "gpu_1x_a10", name: "needle" }),
  });
  expect(answer.status).toBe(200);
  const page = await stand.signedIn("/instances", token);
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(new URL(request.url()).pathname));
  await page.reload();
  await settled(page);
  const first = scripts.filter((path) => path.endsWith(".js"));
  const text = first.map((path) => readFileSync(join(builtConsole, path), "utf8")).join("");
  expect(text).not.toContain("Search pages, actions and instances");

  const search = page.getByPlaceholder("Search pages, actions and instances");
  await page.keyboard.press("Control+k");
  await search.fill("usa");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();

  await page.getByRole("button", { name: "Search" }).click();
  await search.fill("needle");
  expect(await serious(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "needle" }).waitFor();

  await page.keyboard.press("Control+k");
  await search.fill("launch");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Launch instance" }).waitFor();
  await page.keyboard.press("Control+k");
  // What a token may not see is not there.
  await search.fill("fleet");
  await page.getByText("No results").waitFor();
});
