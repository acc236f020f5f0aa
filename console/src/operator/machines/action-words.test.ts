// Which instances an operator can do something with.

import { expect, it } from "vitest";
import { able, actionEffects, actionTitles } from "./action-words.ts";

it("an action on several instances leaves out those whose state does not allow it", () => {
  const all = (["booting", "active", "stopping", "stopped", "terminating", "terminated"] as const).map((status) => ({
    status,
  }));
  const states = (action: Parameters<typeof able>[1]) => able(all, action).map(({ status }) => status);
  expect(states("stop")).toEqual(["booting", "active"]);
  expect(states("reboot")).toEqual(["active"]);
  expect(states("terminate")).toEqual(["booting", "active", "stopping", "stopped"]);
  expect(Object.keys(actionEffects)).toEqual(Object.keys(actionTitles));
});
