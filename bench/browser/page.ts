// A page of the built console in a real browser, signed in, whose times are taken within it (in-page.ts). Used by the
// measures of what is seen on a screen.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { transformWithOxc } from "vite";
import { missingChromium, signIn } from "../../test/support/chromium.ts";
import { checkout, type Service } from "../service/service.ts";

const source = join(import.meta.dirname, "in-page.ts");

/** Something on the page: the first element that the selector matches, when its text fits the pattern. */
export interface Sight {
  readonly selector: string;
  /** Of a regular expression; any text without it. */
  readonly text?: string;
}

/** A row of the list of instances, when the text of its state was painted first, in milliseconds since 1970. */
export interface RowSeen {
  readonly instanceId: string;
  readonly text: string;
  readonly paintedAt: number;
}

/** Why no page of the console can be opened, and what to do; undefined: it can. */
export function missingConsole(): string | undefined {
  if (!existsSync(join(checkout, "dist/console/index.html"))) return "the console is not built: npm run build:console";
  return missingChromium();
}

export class ConsolePage implements AsyncDisposable {
  readonly page: Page;
  readonly #service: Service;

  private constructor(page: Page, service: Service) {
    this.page = page;
    this.#service = service;
  }

  /** Signed in with the token. */
  static async open(browser: Browser, service: Service, token: string): Promise<ConsolePage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const { code } = await transformWithOxc(await readFile(source, "utf8"), source, { sourcemap: false });
    await page.addInitScript(code);
    await page.goto(service.url);
    await signIn(page, token);
    return new ConsolePage(page, service);
  }

  /** From now on its main thread is this many times slower; also on later pages. */
  async throttle(rate: number): Promise<void> {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send("Emulation.setCPUThrottlingRate", { rate });
  }

  /** Loads the path. Milliseconds until the sight is painted, and until the page responds to an input from then on. */
  async load(path: string, { selector }: Sight): Promise<{ shown: number; responding: number }> {
    await this.page.goto("about:blank");
    await this.page.goto(`${this.#service.url}${path}`, { waitUntil: "commit" });
    return this.#call("interactive", selector);
  }

  /** When the sight is painted, in milliseconds since 1970. */
  shown({ selector, text = "" }: Sight): Promise<number> {
    return this.#call("shown", selector, text);
  }

  /** Milliseconds from the last input of `act` (a click, a key) until the sight is painted. */
  async response(act: () => Promise<void>, sight: Sight): Promise<number> {
    const painted = this.shown(sight);
    await act();
    return (await painted) - (await this.#call<number>("inputAt"));
  }

  /** Takes notes of the rows of the list of instances, on the page that is open now. */
  async watchRows(): Promise<void> {
    await this.#call("watchRows");
  }

  /** What was noted since it was asked last. */
  takeRows(): Promise<readonly RowSeen[]> {
    return this.#call("takeRows");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }

  #call<T>(name: string, ...values: readonly string[]): Promise<T> {
    return this.page.evaluate<T>(`lessorBench.${name}(${values.map((value) => JSON.stringify(value)).join(", ")})`);
  }
}
