// What the console offers is what the service does.

import { describe, expect, it } from "vitest";
import { states, wishes } from "../../../src/rental/instances/lifecycle.ts";
import { type Wish, wishesFor } from "./wishes.ts";

/** Where the service's table leads; undefined: refused. */
const leadsTo = (wish: Wish, state: (typeof states)[number]): string | undefined => {
  const table: Partial<Record<string, string>> = wishes[wish];
  return table[state];
};

describe.each(["stop", "restart", "terminate"] as const)("%s", (wish) => {
  it.each(states)("is offered to a machine that is %s exactly where it leads somewhere", (state) => {
    const to = leadsTo(wish, state);
    expect(wishesFor(state).includes(wish)).toBe(to !== undefined && to !== state);
  });
});
