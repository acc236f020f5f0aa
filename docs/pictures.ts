// The generated pictures under docs/pictures/. The lifecycle is drawn from its table, and the growth of
// costs from the figures that the benchmark keeps: `npm run docs` writes both, and test/codebase/documents.test.ts fails
// while one differs. Screenshots are taken by the console's tests
// (test/console/support/looks.ts), which fail while one differs. Used by tables.ts and those tests.

import { growthChart } from "../bench/chart/growth-chart.ts";
import { growthPicture, keptGrowth } from "../bench/chart/growth-figures.ts";
import { actions, observations, type State, states } from "../src/rules/lifecycle.ts";

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
      (scheme) => [`${source}-1280-${scheme}`, here(`pictures/screens/${name}-${scheme}.png`)] as const,
    ),
  ),
);

/** Each file under docs/pictures/ that `npm run docs` writes: its URL, and a function for its bytes. */
export const pictures: ReadonlyMap<URL, () => Buffer> = new Map([
  [here("pictures/lifecycle.svg"), () => Buffer.from(lifecyclePicture())],
  [growthPicture, () => Buffer.from(growthChart(keptGrowth()))],
]);

interface Point {
  readonly x: number;
  readonly y: number;
}

const size = { width: 120, height: 40 };

/** The center of a state's box; a state without a fixed position is placed in free space. */
const places: Partial<Record<State, Point>> = {
  booting: { x: 100, y: 90 },
  active: { x: 380, y: 90 },
  stopping: { x: 660, y: 90 },
  stopped: { x: 380, y: 230 },
  terminating: { x: 380, y: 370 },
  terminated: { x: 660, y: 370 },
};
const otherPlace: Point = { x: 100, y: 370 };

/** How far an edge bends to its left, in pixels, if a straight line would cross another box or its opposite. */
const bends: Readonly<Record<string, number>> = {
  "booting active": 14,
  "active booting": 14,
  "booting stopping": 60,
  "booting stopped": 10,
  "stopped booting": 26,
  "active terminating": 140,
  "booting terminating": -90,
  "stopping terminating": 95,
};

/** States as boxes, and an arrow with its actions and observations for each transition. */
function lifecyclePicture(): string {
  const edges = new Map<string, string[]>();
  for (const [name, row] of [...Object.entries(actions), ...Object.entries(observations)])
    for (const [from, to] of Object.entries(row))
      if (from !== to) edges.set(`${from} ${to}`, [...(edges.get(`${from} ${to}`) ?? []), name]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 420" width="760" height="420" role="img" aria-labelledby="title">
<title id="title">Lifecycle of an instance</title>
<!-- Written by npm run docs from src/rules/lifecycle.ts. -->
<style>
.card{fill:#f7f8fa}.box{fill:#eef3ff;stroke:#3153c0}.line{fill:none;stroke:#596273;stroke-width:1.4}.head{fill:#596273}
text{font:13px system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif;fill:#161b24;text-anchor:middle}.b{font-weight:600}.s{font-size:12px;fill:#596273}
@media (prefers-color-scheme:dark){.card{fill:#0c0f14}.box{fill:#18223d;stroke:#97b4fd}.line{stroke:#98a1b0}.head{fill:#98a1b0}text{fill:#dfe3ea}.s{fill:#98a1b0}}
</style>
<rect class="card" width="760" height="420" rx="12"/>
${[...edges].map(([key, names]) => edge(key, names.join(", "))).join("\n")}
${states.map(box).join("\n")}
</svg>
`;
}

function box(state: State): string {
  const { x, y } = placeOf(state);
  const { width, height } = size;
  return `<rect class="box" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="8"/><text class="b" x="${x}" y="${y + 5}">${state}</text>`;
}

function edge(key: string, label: string): string {
  const [from = "", to = ""] = key.split(" ");
  const [a, b] = [placeOf(from), placeOf(to)];
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const bend = bends[key] ?? 0;
  const aside = { x: (b.y - a.y) / length, y: -(b.x - a.x) / length };
  const control = { x: (a.x + b.x) / 2 + 2 * bend * aside.x, y: (a.y + b.y) / 2 + 2 * bend * aside.y };
  const [start, end] = [borderTowards(a, control), borderTowards(b, control)];
  const middle = { x: (start.x + 2 * control.x + end.x) / 4, y: (start.y + 2 * control.y + end.y) / 4 };
  const wide = label.length * 6.4 + 6;
  return `<path class="line" d="M${at(start)} Q${at(control)} ${at(end)}"/>${head(control, end)}<rect class="card" x="${round(middle.x - wide / 2)}" y="${round(middle.y - 9)}" width="${round(wide)}" height="18"/><text class="s" x="${round(middle.x)}" y="${round(middle.y + 4)}">${label}</text>`;
}

function placeOf(state: string): Point {
  return new Map<string, Point>(Object.entries(places)).get(state) ?? otherPlace;
}

/** The intersection of the box's border with the line from its center to `target`. */
function borderTowards(center: Point, target: Point): Point {
  const [dx, dy] = [target.x - center.x, target.y - center.y];
  const scale = Math.min(size.width / 2 / Math.abs(dx || 1e-9), size.height / 2 / Math.abs(dy || 1e-9));
  return { x: center.x + dx * scale, y: center.y + dy * scale };
}

function head(from: Point, tip: Point): string {
  const angle = Math.atan2(tip.y - from.y, tip.x - from.x);
  const corner = (side: number) => ({
    x: tip.x - 9 * Math.cos(angle) + side * 4.5 * Math.sin(angle),
    y: tip.y - 9 * Math.sin(angle) - side * 4.5 * Math.cos(angle),
  });
  return `<path class="head" d="M${at(tip)} L${at(corner(1))} L${at(corner(-1))} Z"/>`;
}

const round = (value: number) => Math.round(value * 10) / 10;
const at = ({ x, y }: Point) => `${round(x)} ${round(y)}`;
