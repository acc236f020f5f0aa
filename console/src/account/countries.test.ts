// Countries of billing details.

import { expect, it } from "vitest";
import { countryChoices } from "./countries.ts";

it("every country has a name of its own, in order", () => {
  const choices = countryChoices(null);
  expect(choices).toHaveLength(249);
  expect(new Set(choices.map(({ label }) => label)).size).toBe(249);
  expect(choices.filter(({ value, label }) => value === label)).toEqual([]);
  expect(choices[0]?.label).toBe("Afghanistan");
});

it("a stored country that is not listed stays", () => {
  expect(countryChoices("DE")).toHaveLength(249);
  expect(countryChoices("XK").find(({ value }) => value === "XK")?.label).toBe("Kosovo");
});
