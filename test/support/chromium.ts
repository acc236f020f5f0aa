// Debian's Chromium without a window, driven by playwright-core, which brings none of its own. Used by the tests of the
// console and by the benchmark. The headless shell is the same engine without the desktop around it: it opens a page in a
// third of the time.

import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const headlessShell = "/usr/bin/chromium-headless-shell";
const executablePath =
  process.env.LESSOR_TEST_CHROMIUM ?? [headlessShell, "/usr/bin/chromium"].find(existsSync) ?? headlessShell;

/** It is asked nothing on the network but what a page of the tests asks. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Why there is no browser, and how to get one; undefined where there is one. */
export function missingChromium(): string | undefined {
  if (existsSync(executablePath)) return undefined;
  return `There is no ${executablePath}. Install it (apt-get install chromium-headless-shell), or name another in LESSOR_TEST_CHROMIUM.`;
}

/** A new browser. `env`: added to this process's environment. Throws where none is installed, and says how to. */
export async function launchChromium(env: Readonly<Record<string, string>> = {}): Promise<Browser> {
  const missing = missingChromium();
  if (missing !== undefined) throw new Error(missing);
  return chromium.launch({ executablePath, args, env: { ...definedOf(process.env), ...env } });
}

/** At the sign-in of a page: types the token, and waits until the console is there. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor({ state: "attached" });
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined));
}
