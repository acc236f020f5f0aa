// Following a link while the connection is down.

import { expect, it } from "vitest";
import { serious } from "./support/accessibility.ts";
import { openPage, settled } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";

const fixed = fixedConsoleOfFile();

it("shows the offline page, and the page that was asked for as soon as the connection is back", async () => {
  const page = await openPage(fixed.browser);
  await page.goto(`${fixed.service.url}/instances`);
  await settled(page);
  await page.context().setOffline(true);
  // Its code and its charts were never loaded.
  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("heading", { level: 1, name: "You're offline" }).waitFor();
  await page.getByText("It opens when the connection is back.").waitFor();
  expect(await serious(page)).toEqual([]);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "You're offline" }).waitFor();

  await page.context().setOffline(false);
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/usage");
});
