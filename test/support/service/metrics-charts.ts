// The charts of an instance as its account sees them: the console that the service has, in a real browser. For tests on
// real machines.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { launchChromium, signIn } from "../chromium.ts";
import type { Customer, Service } from "./service.ts";

const checkout = resolve(import.meta.dirname, "../../..");

/** Before the service starts, which has the console from its start on. */
export function haveConsole(): void {
  if (existsSync(resolve(checkout, "dist/console/index.html"))) return;
  execFileSync("npm", ["run", "build:console"], { cwd: checkout, stdio: "ignore" });
}

/** What they say of themselves: "CPU: CPU: now 37 %, mean …". Throws where none is shown within a minute. */
export async function chartsShown(service: Service, id: string, { token }: Customer): Promise<string[]> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const { origin } = new URL(service.urls.control);
    await page.goto(`${origin}/instances/${id}?view=metrics`);
    await signIn(page, token);
    const charts = page.getByRole("img", { name: /: now .*, mean / });
    await charts.first().waitFor();
    return await charts.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
  } finally {
    await browser.close();
  }
}
