// The screen's part of `event`: the list of instances of an account, which notes when each row showed which state, and what
// that says about events.

import type { Browser } from "playwright-core";
import { stateWords } from "../../console/src/instances/state-labels.ts";
import { type State, states } from "../../src/rules/lifecycle.ts";
import { ConsolePage, type RowSeen } from "../browser/page.ts";
import type { Service } from "../service/service.ts";
import type { Customer } from "../worlds/customers.ts";
import type { Commit } from "./commits.ts";

/** The list of the customer's instances, which takes notes from now on. */
export async function openList(browser: Browser, service: Service, { token }: Customer): Promise<ConsolePage> {
  const page = await ConsolePage.open(browser, service, token);
  await page.load("/instances", { selector: "main h1" });
  await page.watchRows();
  return page;
}

/**
 * Milliseconds from each commit of a state until the screen showed it, or a later one: of a state that is over before it
 * can be shown, what the customer waits for is the next. Throws if one was never shown.
 */
export function waitsOnScreen(commits: readonly Commit[], seen: readonly RowSeen[]): number[] {
  return commits.flatMap(({ type, instanceId, at }) => {
    const state = states.find((one) => type === `instance.${one}`);
    if (state === undefined) return [];
    const shownAt = seen
      .filter((row) => row.instanceId === instanceId && isFrom(row.text, state))
      .map((row) => row.paintedAt);
    if (shownAt.length === 0) throw new Error(`${type} of ${instanceId} was never shown`);
    return [Math.min(...shownAt) - at];
  });
}

/** Whether the cell's text tells of this state, or of one that comes after it. */
function isFrom(text: string, state: State): boolean {
  return states.slice(states.indexOf(state)).some((one) => text.startsWith(stateWords[one].title));
}
