import { describe, expect, it } from "vitest";
import { lines } from "../../../test/support/check-stand.ts";
import { type Finding, ok } from "./finding.ts";
import { guarded } from "./guarded.ts";

async function* failing(error: Error): AsyncGenerator<Finding> {
  yield ok("pool", "is there");
  throw error;
}

describe("a step that fails", () => {
  it("tells what it found before, and that it failed, and where to look", async () => {
    const told = await lines(guarded("pool", failing(new Error("It broke.")), "look", new AbortController().signal));
    expect(told).toEqual(["ok pool: is there", "problem pool: could not be checked: It broke -> look"]);
  });

  it("because the check is interrupted ends the check", async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await expect(lines(guarded("pool", failing(new Error("x")), "look", signal))).rejects.toThrow("interrupted");
  });
});
