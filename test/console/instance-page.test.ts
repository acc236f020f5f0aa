// A machine's page while its state changes: what is above moves nothing that is below.

import { expect, it } from "vitest";
import { openPage, settled, sizes } from "./support/browser.ts";
import { fixedConsoleOfFile } from "./support/fixed/console-of-file.ts";
import { fixedNow, idOf } from "./support/fixed/moments.ts";

const fixed = fixedConsoleOfFile();

/** Machines of the fixed world with nothing special about them but this state. */
const machines = { active: 4, booting: 3, stopped: 5 };

it.each([sizes[1], sizes[2]])(
  "has its cost at the same place while it boots, runs and is stopped, at $width",
  async (size) => {
    const tops: Record<string, number | undefined> = {};
    for (const [state, number] of Object.entries(machines)) {
      const page = await openPage(fixed.browser, { viewport: size });
      await page.clock.setFixedTime(fixedNow);
      await page.goto(`${fixed.service.url}/instances/${idOf("instance", number)}`);
      await settled(page);
      await page.locator("header").getByText(state).waitFor();
      tops[state] = (await page.getByText("Cost so far").boundingBox())?.y;
    }
    expect(tops.active).toBeGreaterThan(100);
    expect(tops).toEqual({ active: tops.active, booting: tops.active, stopped: tops.active });
  },
);
