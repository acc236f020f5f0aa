// The generated pictures under docs/pictures/. The lifecycles are drawn from their tables, and the growth of
// costs from the figures that the benchmark keeps: `npm run docs` writes both, and test/codebase/documents.test.ts fails
// while one differs. Screenshots are taken by the console's tests
// (test/console/support/looks.ts), which fail while one differs. Used by tables.ts and those tests.

import { growthChart } from "../bench/chart/growth-chart.ts";
import { growthPicture, keptGrowth } from "../bench/chart/growth-figures.ts";
import { hostActions, hostModes, maintenanceMode, modesBeforeMaintenance } from "../src/rules/host-lifecycle.ts";
import { actions, observations, states } from "../src/rules/lifecycle.ts";
import { stateDiagram } from "./state-diagram.ts";

const here = (path: string) => new URL(path, import.meta.url);

/** The names in documents, and the console tests' name of each page. */
const screenNames: Readonly<Record<string, string>> = {
  launch: "launch",
  instance: "instances-one",
  usage: "usage",
  fleet: "operator-fleet",
  capacity: "operator-explanation",
  "needs-attention": "operator-needs-attention",
  account: "operator-accounts-one",
};

/** The file of each screenshot in a document, by the picture's name in the console's tests. */
export const screens: ReadonlyMap<string, URL> = new Map(
  Object.entries(screenNames).flatMap(([name, source]) =>
    ["light", "dark"].map(
      (scheme) => [`${source}-1280-${scheme}`, here(`pictures/screens/${name}-${scheme}.webp`)] as const,
    ),
  ),
);

/** Each file under docs/pictures/ that `npm run docs` writes: its URL, and a function for its bytes. */
export const pictures: ReadonlyMap<URL, () => Buffer> = new Map([
  [here("pictures/lifecycle.svg"), () => Buffer.from(instanceLifecycle())],
  [here("pictures/host-lifecycle.svg"), () => Buffer.from(hostLifecycle())],
  [growthPicture, () => Buffer.from(growthChart(keptGrowth()))],
]);

function instanceLifecycle(): string {
  return stateDiagram({
    title: "Lifecycle of an instance",
    source: "src/rules/lifecycle.ts",
    height: 420,
    states,
    moves: { ...actions, ...observations },
    places: {
      booting: { x: 100, y: 90 },
      active: { x: 380, y: 90 },
      stopping: { x: 660, y: 90 },
      stopped: { x: 380, y: 230 },
      terminating: { x: 380, y: 370 },
      terminated: { x: 660, y: 370 },
    },
    bends: {
      "booting active": 14,
      "active booting": 14,
      "booting stopping": 60,
      "booting stopped": 10,
      "stopped booting": 26,
      "active terminating": 140,
      "booting terminating": -90,
      "stopping terminating": 95,
    },
  });
}

/** With short names. A host returns to its mode before, so the one move leads to several. */
const maintenanceMoves = {
  "begin-maintenance": {},
  "end-maintenance": {},
  begin: hostActions["begin-maintenance"],
  ...Object.fromEntries(modesBeforeMaintenance.map((mode) => [`end: was ${mode}`, { [maintenanceMode]: mode }])),
};

function hostLifecycle(): string {
  return stateDiagram({
    title: "Modes of a host",
    source: "src/rules/host-lifecycle.ts",
    height: 420,
    states: hostModes,
    moves: { ...hostActions, ...maintenanceMoves },
    places: {
      up: { x: 100, y: 70 },
      cordoned: { x: 380, y: 70 },
      draining: { x: 660, y: 70 },
      maintenance: { x: 300, y: 340 },
      lost: { x: 660, y: 340 },
    },
    bends: {
      "up cordoned": 12,
      "cordoned up": 12,
      "cordoned draining": 12,
      "draining cordoned": 12,
      "up draining": 44,
      "draining up": 40,
      "up maintenance": 22,
      "maintenance up": 22,
      "cordoned maintenance": 26,
      "maintenance cordoned": 26,
      "draining maintenance": 26,
      "maintenance draining": 26,
    },
  });
}
