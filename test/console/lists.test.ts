// Lists on a telephone: cards, which can be sorted as the table can.

import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { openBrowser, openPage, settled, sizes } from "./support/browser.ts";
import { fixedNow } from "./support/fixed/moments.ts";
import { type FixedService, startFixedService } from "./support/fixed/service.ts";

const whenOver = afterFile();
let service: FixedService;
beforeAll(async () => {
  service = await startFixedService(whenOver);
});

it("cards are sorted by what is chosen, up or down", async () => {
  const page = await openPage(await openBrowser(whenOver), { viewport: sizes[0] });
  await page.clock.setFixedTime(fixedNow);
  await page.goto(`${service.url}/machines`);
  await settled(page);
  const first = page.getByRole("rowheader").first().getByRole("link").first();
  await expect.poll(() => first.textContent()).toBe("render-batch");
  const choice = page.getByLabel("Sort instances");
  await choice.selectOption("Name, ascending");
  await expect.poll(() => first.textContent()).toBe("build-runner");
  await choice.selectOption("Name, descending");
  await expect.poll(() => first.textContent()).toBe("training-run-7");
  await choice.selectOption("Cost so far, ascending");
  await expect.poll(() => first.textContent()).toBe("render-batch");
});
