// Signing in to the console by a link, as the demo shows it: without a mail server.
//
//   const links = shownLinks();
//   http = await startHttp(world, { demoLinks: links.demoLinks });
//   const browser = await signedIn(http, links, "ada@example.com");

import { expect } from "vitest";
import type { DemoLinks } from "../../src/http/api/context.ts";
import { Browser } from "./console.ts";

export interface ShownLinks {
  readonly demoLinks: DemoLinks;
  /** Oldest first. */
  readonly all: readonly string[];
}

export function shownLinks(): ShownLinks {
  const all: string[] = [];
  return { all, demoLinks: { consoleUrl: () => "https://console.example", show: (link) => void all.push(link) } };
}

/** The secret of the link that this browser requested. */
export async function requestedLink(browser: Browser, links: ShownLinks, email: string): Promise<string> {
  const before = links.all.length;
  const seen = await browser.ask("POST", "/console/sign-in/link", { body: { email } });
  expect(seen.status, seen.text).toBe(200);
  // Sent after the response.
  await expect.poll(() => links.all.length).toBe(before + 1);
  const link = links.all.at(-1) ?? "";
  expect(link).toMatch(/^https:\/\/console\.example\/sign-in#lessor_signin_[\w-]{43}$/);
  return link.split("#")[1] ?? "";
}

export const useLink = (browser: Browser, secret: string, email?: string) =>
  browser.ask("POST", "/console/sign-in", { body: { secret, ...(email !== undefined && { email }) } });

/** A browser that signed in with a link. */
export async function signedIn(http: { readonly main: string }, links: ShownLinks, email: string): Promise<Browser> {
  const browser = new Browser(http.main);
  const seen = await useLink(browser, await requestedLink(browser, links, email));
  expect(seen.status, seen.text).toBe(200);
  return browser;
}
