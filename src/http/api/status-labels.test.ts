// The words of every variant, held against the tables that the conformance suite has from the specification and the
// decisions ("What each variant shows").

import { describe, expect, it } from "vitest";
import * as variant from "../../../test/conformance/variants.ts";
import { states } from "../../rules/lifecycle.ts";
import * as direct from "../direct/status-labels.ts";
import * as marketplace from "../marketplace/status-labels.ts";
import * as reference from "../reference/status-labels.ts";
import { statesShownAs, wordsIn } from "./status-labels.ts";

describe("the words of", () => {
  it.each(states)("M, R and D show an instance that is %s as the specification says", (state) => {
    expect({ status: marketplace.listWords[state] }).toEqual(variant.marketplace.shows[state]);
    expect(marketplace.operationWords[state]).toBe(variant.marketplace.operationWords[state]);
    expect({ status: reference.words[state] }).toEqual(variant.reference.shows[state]);
    expect({
      status: direct.statusWords[state],
      active: direct.activeNumbers[state],
      os_booted: direct.bootedNumbers[state],
    }).toEqual(variant.direct.shows[state]);
    expect(direct.operationWords[state]).toBe(variant.direct.operationWords[state]);
  });
});

describe("a word", () => {
  it("stands for every state that is shown so", () => {
    expect(statesShownAs(marketplace.listWords, "stopped")).toEqual(["stopped"]);
    expect(statesShownAs(marketplace.listWords, "active")).toEqual(expect.arrayContaining(["active", "stopping"]));
    expect(statesShownAs(marketplace.listWords, undefined)).toBeUndefined();
    expect(wordsIn(direct.statusWords)).toEqual(["rented", "terminated"]);
  });
});
