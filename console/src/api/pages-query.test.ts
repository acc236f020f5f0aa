// Where the next page of a list is.

import { expect, it } from "vitest";
import { nextCursor } from "./pages-query.ts";

it("is in the header's link to the next page", () => {
  expect(nextCursor('</control/v1/audit-log?limit=2&cursor=a%2Bb>; rel="next"')).toBe("a+b");
  expect(nextCursor('<https://gpu.example.com/x?cursor=1>; rel="next"; title="x"')).toBe("1");
});

it("is not taken from another link", () => {
  expect(nextCursor('</x?cursor=1>; rel="prev", </x?cursor=2>; rel="next"')).toBe("2");
  expect(nextCursor('</x?cursor=1>; rel="prev"')).toBeUndefined();
  expect(nextCursor('</x?cursor=1>; rel="nextish"')).toBeUndefined();
});

it("is none on the last page", () => {
  expect(nextCursor(null)).toBeUndefined();
  expect(nextCursor("")).toBeUndefined();
  expect(nextCursor('</x?limit=2>; rel="next"')).toBeUndefined();
});
