// What each role of operators that lacks a right finds enabled on the pages of operators: nothing that the service would reject. Presses every
// button, fills in what opens, and holds the requests that leave the browser against the rights of the role
// (src/rules/roles.ts) and of the operations (test/conformance/operation-rights.ts, which is held against the service).

import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  type OperatorRole,
  operatorMay,
  operatorRights,
  operatorRoles,
  type Right,
  rightNames,
} from "../../src/rules/roles.ts";
import { operationRights } from "../conformance/operation-rights.ts";
import { extent } from "../support/short.ts";
import { addresses } from "./support/addresses.ts";
import { openPage, settled, visit } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow } from "./support/fixed/moments.ts";

const fixed = fixedConsoleOfFile();

/** Besides those of the list: what a page shows only at an address of its own. */
const more = ["/operator/fleet?host=us-west-1-a6000-02", "/operator/catalog?of=images", "/operator/catalog?of=regions"];
const pages = [...addresses.map(({ address }) => address).filter((one) => one.startsWith("/operator")), ...more];

const patterns = Object.entries(operationRights.control).flatMap(([right, operations]) =>
  operations.map((operation) => ({
    right: rightNames.find((one) => one === right),
    pattern: new RegExp(`^${operation.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  })),
);

/** The right that a request needs, such as "POST /hosts/a/cordon". */
function rightOf(request: string): Right {
  const found = patterns.find(({ pattern }) => pattern.test(request))?.right;
  return found ?? expect.fail(`no operation of the service is ${request}`);
}

const isChange = (request: string) => !request.startsWith("GET ");

/** Buttons that look and read alike do the same: one of them is pressed. */
async function buttonsOf(scope: Locator): Promise<string[]> {
  return scope.evaluateAll((all) => {
    const seen = new Set<string>();
    return all.flatMap((one, index) => {
      const name = one.textContent?.trim() || (one.getAttribute("aria-label") ?? "");
      const key = `${one.className} ${name.replaceAll(/\S*\d\S*/g, "")} ${one.closest("[role=menu]") !== null}`;
      if (seen.has(key)) return [];
      seen.add(key);
      return [String(index)];
    });
  });
}

/** Enters something into each empty field of the dialog, and sends it. */
async function submit(dialog: Locator): Promise<void> {
  for (const field of await dialog.locator("input:visible:enabled:not([readonly])").all()) {
    if ((await field.count()) === 0) break; // what was entered changed the form
    const [type, value, popup] = await field.evaluate((one) => [
      one.getAttribute("type") ?? "text",
      (one as HTMLInputElement).value,
      one.getAttribute("aria-haspopup"),
    ]);
    if (value !== "" || popup !== null || ["checkbox", "radio", "search"].includes(type ?? "")) continue;
    const word = field.locator("xpath=ancestor::*[contains(@class,'mantine-TextInput-root')][1]//label//code");
    const typed = (await word.count()) > 0 ? ((await word.first().textContent()) ?? "") : undefined;
    await field.fill(typed ?? (type === "datetime-local" ? "2026-04-01T00:00:00" : "1"));
  }
  const button = dialog.locator("button[type=submit]:enabled");
  if ((await button.count()) > 0) await button.first().click();
}

interface Found {
  /** What left the browser besides reads. */
  readonly requests: Set<string>;
  /** The dialogs that can send something, by their titles. */
  readonly forms: Set<string>;
}

const pressable =
  "main button:enabled:not([role=tab]):not(th button), [role=dialog] button:enabled:not([aria-label=Close]), [role=menuitem]:not(a)";

/** Presses each button of the page that is alike to none before. */
async function press(page: Page, address: string, found: Found): Promise<void> {
  const open = async () => {
    await visit(page, address);
    await settled(page);
  };
  await open();
  const all = page.locator(pressable);
  for (const index of await buttonsOf(all)) {
    const before = await state(page);
    await all.nth(Number(index)).click({ force: true });
    const menu = page.locator("[role=menuitem]:not(a)");
    if ((await menu.count()) === 0) await answered(page, found);
    else {
      for (let item = 0; item < (await menu.count()); item++) {
        await menu.nth(item).click();
        await answered(page, found);
        await open();
        await all.nth(Number(index)).click({ force: true });
      }
    }
    if ((await state(page)) !== before) await open();
  }
}

const state = (page: Page) =>
  page.evaluate(() => `${location.href} ${document.querySelectorAll("button, [role=dialog], [role=menu]").length}`);

async function answered(page: Page, found: Found): Promise<void> {
  await settled(page);
  const dialog = page.locator("[role=dialog]").last();
  const button = dialog.locator("button[type=submit]");
  if ((await dialog.count()) > 0 && (await button.count()) > 0) {
    found.forms.add((await dialog.locator("h2").first().textContent()) ?? "");
    await submit(dialog);
    await settled(page);
  }
  for (const request of fixed.service.asked.splice(0)) if (isChange(request)) found.requests.add(request);
}

const lacksSomething = (role: OperatorRole) => rightNames.some((right) => !operatorMay(role, right));

/** In small the one that lacks most. */
const roles = operatorRoles
  .filter(lacksSomething)
  .toSorted((a, b) => operatorRights[a].length - operatorRights[b].length)
  .slice(0, extent(operatorRoles.length, 1));

/** All that the role can do. */
async function walk(role: OperatorRole): Promise<Found> {
  fixed.service.operatorRole = role;
  fixed.service.rejects = true;
  fixed.service.asked.length = 0;
  const page = await openPage(fixed.browser);
  await page.clock.setFixedTime(fixedNow);
  await page.goto(`${fixed.service.url}/operator/accounts`);
  await settled(page);
  const found: Found = { requests: new Set(), forms: new Set() };
  for (const address of pages) await press(page, address, found);
  return found;
}

describe("of an operator with the role", () => {
  for (const role of roles) {
    it(`${role}, what is enabled is permitted`, { timeout: 400_000 }, async () => {
      const { requests, forms } = await walk(role);
      expect([...requests].filter((request) => !operatorMay(role, rightOf(request)))).toEqual([]);
      // Nothing is tested where nothing is pressed: each right was used but reading.
      const used = new Set([...requests].map(rightOf));
      const expected = operatorRights[role].filter((right) => right !== "see");
      expect([...used].toSorted()).toEqual([...expected].toSorted());
      if (expected.length === 0) expect([...forms]).toEqual([]);
    });
  }
});
