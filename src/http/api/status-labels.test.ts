// The words of every variant, held against the table in decisions, "What each variant shows".

import { describe, expect, it } from "vitest";
import { states } from "../../rules/lifecycle.ts";
import * as direct from "../direct/status-labels.ts";
import * as marketplace from "../marketplace/status-labels.ts";
import * as reference from "../reference/status-labels.ts";
import { type StatusLabels, statesShownAs, wordsIn } from "./status-labels.ts";

/** In the order of the states: booting, active, stopping, stopped, terminating, terminated. */
function inOrder(table: StatusLabels): string {
  return states.map((state) => table[state]).join(" ");
}

describe("the words of", () => {
  it("M are its own in lists and reads, and others in operations", () => {
    expect(inOrder(marketplace.listWords)).toBe("booting active active stopped terminated terminated");
    expect(inOrder(marketplace.operationWords)).toBe("booting active stopping stopping terminated terminated");
  });

  it("R follow the states until the end", () => {
    expect(inOrder(reference.words)).toBe("booting active stopping stopped terminated terminated");
  });

  it("D are rented and terminated, with two numbers", () => {
    expect(inOrder(direct.statusWords)).toBe("rented rented rented rented terminated terminated");
    expect(states.map((state) => direct.activeNumbers[state])).toEqual([1, 1, 1, 0, 0, 0]);
    expect(states.map((state) => direct.bootedNumbers[state])).toEqual([0, 1, 1, 0, 0, 0]);
    expect(inOrder(direct.operationWords)).toBe(inOrder(marketplace.operationWords));
  });
});

describe("a word", () => {
  it("stands for every state that is shown so", () => {
    expect(statesShownAs(marketplace.listWords, "active")).toEqual(["active", "stopping"]);
    expect(statesShownAs(marketplace.listWords, undefined)).toBeUndefined();
    expect(wordsIn(direct.statusWords)).toEqual(["rented", "terminated"]);
  });
});
