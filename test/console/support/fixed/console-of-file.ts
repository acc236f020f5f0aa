// A browser and the console on the fixed world, for the tests of one file. Used by what looks at single pages; what the
// console and the service do together is on the stand (../stand.ts).

import type { Browser } from "playwright-core";
import { beforeAll } from "vitest";
import { afterFile } from "../../../support/when-over.ts";
import { openBrowser } from "../browser.ts";
import { type FixedService, startFixedService } from "./service.ts";

export interface FixedConsole {
  readonly browser: Browser;
  readonly service: FixedService;
}

/** Begun before the tests of the file or of the block that calls it; may be used in them, and ends after them. */
export function fixedConsoleOfFile(): FixedConsole {
  const whenOver = afterFile();
  let begun: FixedConsole | undefined;
  beforeAll(async () => {
    begun = { service: await startFixedService(whenOver), browser: await openBrowser() };
  });
  const there = (): FixedConsole => {
    if (begun === undefined) throw new Error("BUG: used before the tests have begun");
    return begun;
  };
  return {
    get browser() {
      return there().browser;
    },
    get service() {
      return there().service;
    },
  };
}
