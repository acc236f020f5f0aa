import { expect, it } from "vitest";
import { type CpuProfile, sharesOf } from "./profile.ts";

const node = (id: number, functionName: string, url: string) => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
});

it("a profile says which functions and whose code took the time that was not idle", () => {
  const profile: CpuProfile = {
    nodes: [
      node(1, "(idle)", ""),
      node(2, "list", "file:///home/x/src/rental/instances/instance-store.ts"),
      node(3, "", "file:///home/x/node_modules/pg/lib/client.js"),
      node(4, "(garbage collector)", ""),
      node(5, "list", "file:///home/x/src/rental/instances/instance-store.ts"),
      node(6, "writev", ""),
    ],
    samples: [1, 2, 3, 4, 5, 6],
    timeDeltas: [1000, 30, 20, 10, 30, 10],
  };
  const { functions, packages } = sharesOf(profile, 3);
  expect(functions).toEqual([
    { what: "list src/rental/instances/instance-store.ts:10", share: 0.6 },
    { what: "(anonymous) pg/lib/client.js:10", share: 0.2 },
    { what: "(garbage collector)", share: 0.1 },
  ]);
  expect(packages.map(({ what }) => what)).toEqual(["lessor rental", "pg", "(garbage collector)"]);
});
