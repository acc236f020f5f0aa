// `console`: an account's 10,000 instances and a fleet of 10,000 hosts in the browser, four times slower than it is: how
// soon the page can be used, and how soon it shows a sort, a filter, and what changes meanwhile. Each part is the worse of
// both pages.

import { setTimeout as sleep } from "node:timers/promises";
import { launchChromium } from "../../test/support/chromium.ts";
import type { Bench, Stage } from "../bench.ts";
import { ConsolePage, missingConsole } from "../browser/page.ts";
import { shown } from "../output.ts";
import { figureOf, median } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { trackCommits } from "./commits.ts";
import { fleetPage } from "./console-fleet.ts";
import { instancesPage } from "./console-instances.ts";

const SLOWER = 4;

export const consoleParts = ["interactive", "sort", "filter", "live change"] as const;
export type ConsolePart = (typeof consoleParts)[number];

/** A page that is measured. Rows of it are named; all its times are in milliseconds. */
export interface MeasuredPage {
  readonly path: string;
  readonly token: string;
  readonly firstRow: string;
  /** The whole list is loaded. */
  readonly complete: { readonly selector: string; readonly text: string };
  /** What has to be there before the page is loaded. */
  prepare(): Promise<void>;
  /** Changes one thing after the other, which then are as they were: from the commit of each until it is painted. */
  change(page: ConsolePage): Promise<number[]>;
  /** Filters, and clears the filter. */
  filter(page: ConsolePage): Promise<number[]>;
  sort(page: ConsolePage): Promise<number[]>;
}

export async function console(bench: Bench): Promise<Result> {
  const missing = missingConsole();
  if (missing !== undefined) return { name: "console", missing };
  const stage = await bench.stage("console");
  await trackCommits(stage.service);
  await using browser = await launchChromium();
  const pages = { instances: instancesPage(stage), fleet: fleetPage(stage) };
  const times: Record<string, Times> = {};
  for (const [name, page] of Object.entries(pages)) times[name] = await measured(bench, stage, browser, page);
  const medians = (part: ConsolePart) =>
    Object.entries(times).map(([name, { of }]) => `${name} ${shown(median(of[part]))}`);
  return {
    name: "console",
    figures: Object.fromEntries(
      consoleParts.map((part) => {
        const inUnit = part === "interactive" ? 1000 : 1;
        const each = Object.values(times).map(({ of }) => figureOf(of[part].map((ms) => ms / inUnit)));
        const [worst] = each.toSorted((a, b) => b.median - a.median);
        if (worst === undefined) throw new Error("BUG: no page was measured");
        return [part, worst];
      }),
    ),
    notes: [
      `10,000 instances of an account, 10,000 hosts; ${SLOWER} × CPU throttling of the page, not of the service; ms of each page: ${consoleParts.map((part) => `${part}: ${medians(part).join(", ")}`).join("; ")}`,
      `first rows painted after ${Object.entries(times)
        .map(([name, one]) => `${name} ${shown(median(one.rows))} ms, ${shown(one.cold)} ms with an empty cache`)
        .join("; ")}`,
    ],
  };
}

interface Times {
  readonly of: Readonly<Record<ConsolePart, number[]>>;
  /** Until the first rows were painted. */
  readonly rows: number[];
  /** The same of the first load. */
  readonly cold: number;
}

async function measured(
  bench: Bench,
  { service }: Stage,
  browser: Awaited<ReturnType<typeof launchChromium>>,
  { path, token, firstRow, complete, prepare, sort, filter, change }: MeasuredPage,
): Promise<Times> {
  await prepare();
  await using page = await ConsolePage.open(browser, service, token);
  await page.throttle(SLOWER);
  const of = { interactive: [], sort: [], filter: [], "live change": [] } as Record<ConsolePart, number[]>;
  const rows: number[] = [];
  const cold = await page.load(path, { selector: firstRow });
  for (let round = 0; round < bench.effort.repeats + 1; round++) {
    const load = await page.load(path, { selector: firstRow });
    await page.shown(complete);
    // What is left to load besides, and the event stream.
    await sleep(1000);
    // The sort is last: rows stay sorted.
    const times = { changes: await change(page), filter: await filter(page), sort: await sort(page) };
    // The first round warms the browser's caches of code.
    if (round === 0) continue;
    rows.push(load.shown);
    of.interactive.push(load.responding);
    of.sort.push(...times.sort);
    of.filter.push(...times.filter);
    of["live change"].push(...times.changes);
  }
  return { of, rows, cold: cold.shown };
}
