// What a screen reader or a keyboard could not use, as axe-core finds it (WCAG 2.2, levels A and AA, and best practices).

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

/** Without its comments: a browser takes in half as much. */
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

interface Finding {
  readonly id: string;
  readonly impact?: string | null;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** What axe calls serious or critical on the page as it is now, each as a sentence with the places. */
export async function serious(page: Page): Promise<string[]> {
  const findings = await violationsOf(page);
  return findings.filter(({ impact }) => impact === "serious" || impact === "critical").map(inWords);
}

/** Evaluated by the debugger, which no Content-Security-Policy holds up. */
async function violationsOf(page: Page): Promise<readonly Finding[]> {
  const isThere = await page.evaluate(() => "axe" in globalThis);
  if (!isThere) {
    // Not by page.evaluate, which takes twice as long for so long a script.
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axe });
    await session.detach();
  }
  return page.evaluate(async () => {
    // Put there by the line above.
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Finding[] }> } };
    return (await axe.run({ resultTypes: ["violations"] })).violations.map(({ id, impact, help, nodes }) => ({
      id,
      impact: impact ?? null,
      help,
      nodes: nodes.map(({ target, failureSummary = "" }) => ({ target: [...target], failureSummary })),
    }));
  });
}

function inWords({ id, help, nodes }: Finding): string {
  const places = nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary ?? ""}`);
  return `${id}: ${help} (${nodes.length})\n  ${places.join("\n  ")}`;
}
