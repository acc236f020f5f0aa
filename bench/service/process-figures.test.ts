import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import {
  cpuSeconds,
  cpuSecondsIn,
  cpuSecondsWithEndedIn,
  proportionalMb,
  residentMb,
  residentMbIn,
  serverProcesses,
} from "./process-figures.ts";

it("CPU time is read past a name with brackets and spaces", () => {
  const stat = "17 (a) (b c) S 1 17 17 0 -1 4194560 100 0 0 0 250 150 40 60 20 0 11 0 5 6 7";
  expect(cpuSecondsIn(stat)).toBe(4);
  expect(cpuSecondsWithEndedIn(stat)).toBe(5);
});

it("resident memory is told in millions of bytes", () => {
  expect(residentMbIn("Name:\tnode\nVmHWM:\t 9 kB\nVmRSS:\t  250000 kB\nThreads:\t1\n")).toBe(256);
  expect(() => residentMbIn("Name:\tnode\n")).toThrow("VmRSS");
});

it("both are known of a process that runs", async () => {
  const until = performance.now() + 30;
  while (performance.now() < until);
  expect(await cpuSeconds(process.pid)).toBeGreaterThan(0);
  expect(await residentMb(process.pid)).toBeGreaterThan(10);
  expect(await proportionalMb(process.pid)).toBeGreaterThan(10);
});

it("a server's processes are it and those below it", async () => {
  const child = spawn("sleep", ["60"]);
  onTestFinished(() => void child.kill());
  const found = await serverProcesses(process.pid);
  expect(found[0]).toBe(process.pid);
  expect(found).toContain(child.pid);
});
