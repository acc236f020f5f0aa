// The states of NVSwitch partitions, and the page that explains them.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { partitionMeanings, partitionStates } from "./gpu-partitions.ts";

it("are the ones of the page, with the same words", () => {
  const page = readFileSync(new URL("../../docs/reference/gpu-partitions.md", import.meta.url), "utf8");
  const [, shown = ""] = page.split("| state | meaning |\n| --- | --- |\n");
  const rows = shown.split("\n\n")[0]?.split("\n");
  expect(rows).toEqual(partitionStates.map((state) => `| ${state} | ${partitionMeanings[state]} |`));
});
