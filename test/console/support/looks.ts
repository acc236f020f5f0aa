// How pages look, in light and dark and at three widths: compared with their kept pictures, without anything that sticks out
// or covers something else, and usable for a screen reader. A page is photographed without the frame around it, which has
// pictures of its own. Called by the looks-*.test.ts, which run beside each other, each in one page that goes from one
// address to the next.

import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { extent, isShort } from "../../support/short.ts";
import { afterFile, afterTest, type WhenOver } from "../../support/when-over.ts";
import { serious } from "./accessibility.ts";
import { openPage, painted, settled, sizes, visit } from "./browser.ts";
import { fixedConsoleOfFile } from "./fixed/console-of-file.ts";
import { fixedNow } from "./fixed/moments.ts";
import { layoutFaults } from "./layout.ts";
import { documentPictureFault, type Part, pictureFault } from "./pictures.ts";

/** What is looked at: an address, and how the world is there where it is not as usual. */
export interface Look {
  /** For the names of its pictures. */
  readonly name: string;
  readonly address: string;
  readonly signedOut?: boolean;
  /** Of the button to press first, for what opens in the page. */
  readonly press?: string;
  /** What is photographed: the page, unless told. */
  readonly part?: Part;
}

export function describeLooks(what: string, looks: readonly Look[]): void {
  const fixed = fixedConsoleOfFile();
  const whenOver = afterFile();

  async function opened(address: string, whenOver: WhenOver): Promise<Page> {
    const page = await openPage(fixed.browser, {}, whenOver);
    await page.clock.setFixedTime(fixedNow);
    await page.goto(`${fixed.service.url}${address}`);
    return page;
  }

  let shared: Page;
  beforeAll(async () => {
    shared = await opened("/coupons", whenOver);
    await shared.waitForSelector("main h1");
  });

  describe(what, () => {
    for (const look of looks) {
      const pressed = look.press === undefined ? "" : `, “${look.press}”`;
      it(`${look.part === "frame" ? "the frame of " : ""}${look.address}${pressed} looks as it did, and can be used, ${extentInWords}`, async () => {
        fixed.service.signedIn = look.signedOut !== true;
        const page = look.signedOut === true ? await opened(look.address, afterTest) : shared;
        if (page === shared) await visit(page, look.address);
        await settled(page);
        if (look.press !== undefined) await page.getByRole("button", { name: look.press }).first().click();
        expect(await faults(page, look)).toEqual([]);
      });
    }
  });
}

/** In small each page is dark at one width only, and not read as a screen reader does at the middle one. */
const extentInWords = extent("in light and dark at three widths", "in light at three widths and in dark");
const schemesAt = (size: (typeof sizes)[number]) =>
  isShort && size !== sizes[2] ? (["light"] as const) : (["light", "dark"] as const);

/** Everything that is wrong with the page, in sentences. */
async function faults(page: Page, { name, part = "content" }: Look): Promise<string[]> {
  const found: string[] = [];
  for (const size of sizes) {
    await page.setViewportSize(size);
    await settled(page);
    for (const colorScheme of schemesAt(size)) {
      await page.emulateMedia({ colorScheme });
      // The page is told, and changes its colours when it gets to that: only then there is something to wait for.
      await page.waitForSelector(`html[data-mantine-color-scheme=${colorScheme}]`, { state: "attached" });
      await painted(page);
      const picture = `${name}-${size.width}-${colorScheme}`;
      const differs = [await pictureFault(page, picture, part), await documentPictureFault(page, picture)];
      found.push(...differs.filter((fault) => fault !== undefined));
      // Colors are the same at all widths, and the layout in all colors.
      if (extent(size === sizes[2] || colorScheme === "light", size !== sizes[1]))
        found.push(...(await serious(page)).map((one) => `${picture}: ${one}`));
    }
    found.push(...(await layoutFaults(page)).map((fault) => `${name}-${size.width}: ${fault}`));
  }
  return found;
}
