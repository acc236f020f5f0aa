import { expect, it } from "vitest";
import { waitsOnScreen } from "./event-screen.ts";

const commit = (type: string, instanceId: string, at: number) => ({
  id: `${type} ${at}`,
  type,
  instanceId,
  accountId: "x",
  at,
});
const row = (instanceId: string, text: string, paintedAt: number) => ({ instanceId, text, paintedAt });

it("a state is waited for until its own instance shows it", () => {
  const commits = [commit("instance.booting", "a", 100), commit("instance.active", "a", 200)];
  const seen = [row("b", "Booting", 105), row("a", "Bootingqueued", 120), row("a", "Active", 230)];
  expect(waitsOnScreen(commits, seen)).toEqual([20, 30]);
});

it("a state that is over before it is shown has come with the next one", () => {
  expect(waitsOnScreen([commit("instance.booting", "a", 100)], [row("a", "Active", 130)])).toEqual([30]);
});

it("an earlier state is no answer, and what is not a state is not waited for", () => {
  expect(() => waitsOnScreen([commit("instance.active", "a", 100)], [row("a", "Booting", 130)])).toThrow("never shown");
  expect(waitsOnScreen([commit("instance.progress", "a", 100)], [])).toEqual([]);
});
