// The real service with the world of the demo, and browsers that are signed in to its console. Machines boot in
// milliseconds. For what the console and the service do together; how pages look, looks.ts shows.

import type { Browser, Page } from "playwright-core";
import { signIn } from "../../support/chromium.ts";
import { startDemoService } from "../../support/demo-service.ts";
import type { RunningServer, ServerOptions } from "../../support/server.ts";
import type { WhenOver } from "../../support/when-over.ts";
import { openBrowser, openPage } from "./browser.ts";

export interface Stand extends RunningServer {
  readonly browser: Browser;
  /** A page of a context of its own, at the sign-in; for one test unless told. */
  open(path?: string, whenOver?: WhenOver): Promise<Page>;
  /** A page that is signed in with a token: of a customer's account, created if there is none, unless told. */
  signedIn(path: string, token?: string, whenOver?: WhenOver): Promise<Page>;
}

/** Starts it on free ports. `options`: over the defaults. */
export async function startStand(whenOver: WhenOver, options: ServerOptions = {}): Promise<Stand> {
  const server = await startDemoService(whenOver, options);
  const browser = await openBrowser();
  const open = async (path = "/", whenOver?: WhenOver) => {
    const page = await openPage(browser, {}, whenOver);
    await page.goto(`${server.url}${path}`);
    return page;
  };
  return {
    ...server,
    browser,
    open,
    signedIn: async (path, token, whenOver) => {
      const page = await open(path, whenOver);
      await signIn(page, token ?? (await server.customerToken("acme")));
      return page;
    },
  };
}
