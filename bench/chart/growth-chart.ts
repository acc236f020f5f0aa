// The chart of `million`: how each cost grows with the number of instances, relative to the smallest dataset, both axes
// logarithmic, as an SVG for light and dark pages. Pure. Each line is named at its end; its group has a color, a marker
// and a place in the legend, so nothing depends on telling colors apart.

import type { GrowthRow } from "../verdict.ts";
import type { GrowthFigures } from "./growth-figures.ts";
import { spread } from "./spread.ts";

const size = { width: 760, height: 480 };
const plot = { left: 80, right: 450, top: 92, bottom: 388 };
/** Of two names at the ends of lines. */
const lineHeight = 19;

interface Group {
  readonly mark: "u" | "s" | "o";
  readonly label: string;
  readonly costs: readonly string[];
}

const groups: readonly Group[] = [
  { mark: "u", label: "requests", costs: ["launch", "list", "list, not cached", "fleet page"] },
  { mark: "s", label: "the server", costs: ["resync", "start", "memory", "memory, peak"] },
  { mark: "o", label: "backups", costs: ["backup", "restore"] },
];

/** Throws if a cost is in no group. */
export function growthChart({ date, machine, costs }: GrowthFigures): string {
  const lines = costs.map((row) => ({ ...row, ratios: ratiosOf(row), mark: markOf(row.name) }));
  const all = lines.flatMap(({ ratios }) => ratios);
  const decades = {
    least: Math.min(0, Math.floor(Math.log10(Math.min(...all)) * 2) / 2),
    most: Math.ceil(Math.log10(Math.max(...all))),
  };
  const sizes = costs[0]?.points.map(({ instances }) => instances) ?? [];
  const [first = 1, last = 1] = [sizes[0], sizes.at(-1)];
  const x = (instances: number) => plot.left + (Math.log(instances / first) / Math.log(last / first)) * width;
  const y = (ratio: number) =>
    plot.bottom - ((Math.log10(ratio) - decades.least) / (decades.most - decades.least)) * height;
  const places = spread(
    lines.map(({ ratios }) => y(ratios.at(-1) ?? 1)),
    lineHeight,
    plot.top,
    plot.bottom,
  );
  const [machineLine = "", commitLine = ""] = machine;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-labelledby="title desc">
<title id="title">Growth of costs from ${count(first)} to ${count(last)} instances</title>
<desc id="desc">${lines.map(({ name, ratios }) => `${name}: ${times(ratios.at(-1) ?? 1)}`).join("; ")}.</desc>
<!-- Written by npm run bench from bench/growth.json. -->
<style>
.card{fill:#f7f8fa}.grid{stroke:#d3d8df}.one{stroke:#596273;stroke-dasharray:4 3}
text{font:14px system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif;fill:#161b24}.h{font-size:17px;font-weight:600}.b{font-weight:600}.q{fill:#596273;font-weight:400}.e{text-anchor:end}.m{text-anchor:middle}
.line{fill:none;stroke-width:2}.thin{fill:none;stroke-width:1;opacity:.6}.u{stroke:#3153c0}.s{stroke:#596273}.o{stroke:#a84f00}.u.dot{fill:#3153c0}.s.dot{fill:#596273}.o.dot{fill:#a84f00}
@media (prefers-color-scheme:dark){.card{fill:#0c0f14}.grid{stroke:#343c48}.one{stroke:#98a1b0}text{fill:#dfe3ea}.q{fill:#98a1b0}.u{stroke:#97b4fd}.s{stroke:#98a1b0}.o{stroke:#f0a45d}.u.dot{fill:#97b4fd}.s.dot{fill:#98a1b0}.o.dot{fill:#f0a45d}}
</style>
<rect class="card" width="${size.width}" height="${size.height}" rx="12"/>
<text class="h" x="24" y="36">How costs grow from ${count(first)} to ${count(last)} instances</text>
${legend()}
${yTicks(decades.most)
  .map((ratio) => gridLine(y(ratio), ratio))
  .join("\n")}
${sizes.map((instances) => `<text class="q m" x="${round(x(instances))}" y="${plot.bottom + 24}">${count(instances)}</text>`).join("\n")}
<text class="q m" x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 46}">instances</text>
${lines.map((line, place) => drawn(line, x, y, places[place] ?? 0)).join("\n")}
<text class="q" x="24" y="${size.height - 20}">${escaped([date, machineLine, commitLine].join("; "))}</text>
</svg>
`;
}

const width = plot.right - plot.left;
const height = plot.bottom - plot.top;

interface Line extends GrowthRow {
  /** To the smallest dataset; the first is 1. */
  readonly ratios: readonly number[];
  readonly mark: Group["mark"];
}

/** The line, its markers, and its name with the two figures that the last ratio is of. */
function drawn(
  { name, unit, points, ratios, mark }: Line,
  x: (instances: number) => number,
  y: (ratio: number) => number,
  labelY: number,
): string {
  const path = points.map(({ instances }, place) => ({ x: x(instances), y: y(ratios[place] ?? 1) }));
  const end = path.at(-1) ?? { x: plot.right, y: labelY };
  const dots = path.map((point) => marker(mark, point.x, point.y)).join("");
  const [from, to] = [points[0], points.at(-1)].map((point) => figure(point?.median ?? 0));
  return [
    `<path class="line ${mark}" d="M${path.map(at).join(" L")}"/>${dots}`,
    `<path class="thin ${mark}" d="M${at({ x: end.x + 6, y: end.y })} L${at({ x: plot.right + 18, y: labelY })}"/>`,
    `<text x="${plot.right + 22}" y="${round(labelY + 5)}"><tspan class="b">${escaped(name)} ${times(ratios.at(-1) ?? 1)}</tspan><tspan class="q" dx="7">${from} → ${to} ${unit}</tspan></text>`,
  ].join("\n");
}

function legend(): string {
  const places = [24, 130, 246];
  return groups
    .map(
      ({ mark, label }, place) =>
        `${marker(mark, (places[place] ?? 0) + 6, 59)}<text x="${(places[place] ?? 0) + 18}" y="64">${label}</text>`,
    )
    .join("\n");
}

/** Circle, square or diamond. */
function marker(mark: Group["mark"], x: number, y: number): string {
  if (mark === "u") return `<circle class="dot u" cx="${round(x)}" cy="${round(y)}" r="3.5"/>`;
  const square = `class="dot ${mark}" x="${round(x - 3)}" y="${round(y - 3)}" width="6" height="6"`;
  return mark === "s" ? `<rect ${square}/>` : `<rect ${square} transform="rotate(45 ${round(x)} ${round(y)})"/>`;
}

function yTicks(most: number): number[] {
  return Array.from({ length: most + 1 }, (_, decade) => 10 ** decade);
}

function gridLine(y: number, ratio: number): string {
  return `<path class="${ratio === 1 ? "one" : "grid"}" d="M${at({ x: plot.left, y })} H${plot.right}"/><text class="q e" x="${plot.left - 10}" y="${round(y + 5)}">${count(ratio)}×</text>`;
}

function ratiosOf({ name, points }: GrowthRow): number[] {
  const first = points[0]?.median;
  if (first === undefined || !(first > 0)) throw new Error(`${name} has no figure to compare with`);
  return points.map(({ median }) => median / first);
}

function markOf(cost: string): Group["mark"] {
  const group = groups.find(({ costs }) => costs.includes(cost));
  if (group === undefined) throw new Error(`BUG: ${cost} is in no group of the chart`);
  return group.mark;
}

/** Two digits: a figure of a chart is no more exact. */
function figure(value: number): string {
  return value >= 100 ? count(Math.round(value)) : `${Number(value.toPrecision(2))}`;
}

const times = (ratio: number) => `${figure(ratio)}×`;
const count = (value: number) => value.toLocaleString("en-US");
const round = (value: number) => Math.round(value * 10) / 10;
const at = ({ x, y }: { readonly x: number; readonly y: number }) => `${round(x)} ${round(y)}`;
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
