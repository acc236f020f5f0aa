// A machine's page while its state changes: what is above moves nothing that is below.

import type { Browser } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { openBrowser, openPage, settled, sizes } from "./support/browser.ts";
import { fixedNow, idOf } from "./support/fixed/moments.ts";
import { type FixedService, startFixedService } from "./support/fixed/service.ts";

const whenOver = afterFile();
let browser: Browser;
let service: FixedService;
beforeAll(async () => {
  service = await startFixedService(whenOver);
  browser = await openBrowser(whenOver);
});

/** Machines of the fixed world with nothing special about them but this state. */
const machines = { active: 2, booting: 3, stopped: 5 };

it.each([sizes[1], sizes[2]])(
  "has its cost at the same place while it boots, runs and is stopped, at $width",
  async (size) => {
    const tops: Record<string, number | undefined> = {};
    for (const [state, number] of Object.entries(machines)) {
      const page = await openPage(browser, { viewport: size });
      await page.clock.setFixedTime(fixedNow);
      await page.goto(`${service.url}/machines/${idOf("instance", number)}`);
      await settled(page);
      await page.locator("header").getByText(state).waitFor();
      tops[state] = (await page.getByText("Cost so far").boundingBox())?.y;
    }
    expect(tops.active).toBeGreaterThan(100);
    expect(tops).toEqual({ active: tops.active, booting: tops.active, stopped: tops.active });
  },
);
