// GB as GiB: what a customer is promised is there.

import { expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { wholeGib } from "./storage-size.ts";

it("is the largest whole number of GiB that fits into the GB", () => {
  expect([0, 1, 2, 500, 1000].map(wholeGib)).toEqual([0, 0, 1, 465, 931]);
  fc.assert(
    fc.property(fc.nat(1_000_000), (gb) => {
      const bytes = BigInt(gb) * 10n ** 9n;
      expect(BigInt(wholeGib(gb))).toBe(bytes / 2n ** 30n);
    }),
  );
});
