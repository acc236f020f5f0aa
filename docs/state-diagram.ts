// Draws a lifecycle as SVG: its states as boxes, and an arrow with the names of its moves for each transition. A move that
// leads from every other state to the same one is written below instead. Pure; used by pictures.ts.

/** In pixels. */
interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Lifecycle {
  readonly title: string;
  /** The file of its table. */
  readonly source: string;
  /** In pixels; the width is 760. */
  readonly height: number;
  readonly states: readonly string[];
  /** By name of an action or observation: from each state to the next. */
  readonly moves: Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>;
  /** The center of a state's box; a state without one is placed at the bottom left. */
  readonly places: Readonly<Record<string, Point>>;
  /** By "from to": how far an arrow bends to its left, in pixels, if a straight line would cross a box or its opposite. */
  readonly bends: Readonly<Record<string, number>>;
}

const width = 760;
const size = { width: 120, height: 40 };

export function stateDiagram({ title, source, height, states, moves, places, bends }: Lifecycle): string {
  const edges = new Map<string, string[]>();
  const notes: string[] = [];
  for (const [name, row] of Object.entries(moves)) {
    const targets = new Set(Object.values(row));
    const [only] = targets;
    if (targets.size === 1 && states.every((state) => state === only || row[state] !== undefined)) {
      if (row[only ?? ""] === undefined) {
        notes.push(`${name}: from every state to ${only}`);
        continue;
      }
    }
    for (const [from, to] of Object.entries(row))
      if (from !== to) edges.set(`${from} ${to}`, [...(edges.get(`${from} ${to}`) ?? []), name]);
  }
  const placeOf = (state: string) => places[state] ?? { x: 100, y: height - 50 };
  const lines = [...edges].map(([key, names]) => {
    const [from = "", to = ""] = key.split(" ");
    return edge(placeOf(from), placeOf(to), bends[key] ?? 0, names.join(", "));
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<!-- Written by npm run docs from ${source}. -->
<style>
.card{fill:#f7f8fa}.box{fill:#eef3ff;stroke:#3153c0}.line{fill:none;stroke:#596273;stroke-width:1.4}.head{fill:#596273}
text{font:13px system-ui,"Segoe UI",Roboto,"Liberation Sans",sans-serif;fill:#161b24;text-anchor:middle}.b{font-weight:600}.s{font-size:12px;fill:#596273}
@media (prefers-color-scheme:dark){.card{fill:#0c0f14}.box{fill:#18223d;stroke:#97b4fd}.line{stroke:#98a1b0}.head{fill:#98a1b0}text{fill:#dfe3ea}.s{fill:#98a1b0}}
</style>
<rect class="card" width="${width}" height="${height}" rx="12"/>
${lines.join("\n")}
${states.map((state) => box(state, placeOf(state))).join("\n")}
${notes.map((note, index) => `<text class="s" x="${width / 2}" y="${height - 12 - 16 * index}">${note}</text>`).join("\n")}
</svg>
`;
}

function box(state: string, { x, y }: Point): string {
  const { width, height } = size;
  return `<rect class="box" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="8"/><text class="b" x="${x}" y="${y + 5}">${state}</text>`;
}

function edge(a: Point, b: Point, bend: number, label: string): string {
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const aside = { x: (b.y - a.y) / length, y: -(b.x - a.x) / length };
  const control = { x: (a.x + b.x) / 2 + 2 * bend * aside.x, y: (a.y + b.y) / 2 + 2 * bend * aside.y };
  const [start, end] = [borderTowards(a, control), borderTowards(b, control)];
  const middle = { x: (start.x + 2 * control.x + end.x) / 4, y: (start.y + 2 * control.y + end.y) / 4 };
  const wide = label.length * 6.4 + 6;
  return `<path class="line" d="M${at(start)} Q${at(control)} ${at(end)}"/>${head(control, end)}<rect class="card" x="${round(middle.x - wide / 2)}" y="${round(middle.y - 9)}" width="${round(wide)}" height="18"/><text class="s" x="${round(middle.x)}" y="${round(middle.y + 4)}">${label}</text>`;
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
