// Where the next page of the audit log begins.

import { describe, expect, it } from "vitest";
import { cursorIn } from "./use-audit-log.ts";

describe("the next page", () => {
  it("begins where the Link header says", () => {
    expect(cursorIn('</control/v1/audit-log?limit=100&cursor=0198c5b0-77ee>; rel="next"')).toBe("0198c5b0-77ee");
    expect(cursorIn('<https://gpu.example.com/control/v1/audit-log?cursor=a%2Bb>; rel="next"')).toBe("a+b");
  });

  it("is none where there is no header, or one of something else", () => {
    expect(cursorIn(null)).toBeUndefined();
    expect(cursorIn('</control/v1/audit-log?cursor=1>; rel="prev"')).toBeUndefined();
  });
});
