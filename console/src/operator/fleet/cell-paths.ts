// How a host's GPUs are drawn: one path for each state, so that a thousand hosts are a few thousand elements. Each state
// has a shape of its own, so color is not needed to tell them apart.

import type { Shape } from "../../../../src/client/client.ts";
import { type CellState, cellOrder, cellState } from "./cells.ts";

const size = 11;
const gap = 4;
const columns = 8;

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly paths: readonly { readonly state: CellState; readonly outline: string }[];
}

/** The cells of a host, in rows of eight. Lengths are those of the drawing's own coordinates. */
export function drawHost(host: Shape<"Host">): Drawing {
  return drawCells(host.gpus.map((gpu) => cellState(host, gpu)));
}

/** Cells in these states, one after the other. */
export function drawCells(states: readonly CellState[]): Drawing {
  const outlines = new Map<CellState, string>();
  for (const [index, state] of states.entries()) {
    const x = 1 + (index % columns) * (size + gap);
    const y = 1 + Math.floor(index / columns) * (size + gap);
    outlines.set(state, (outlines.get(state) ?? "") + forms[state](x, y));
  }
  const rows = Math.max(1, Math.ceil(states.length / columns));
  return {
    width: 2 + Math.max(1, Math.min(columns, states.length)) * (size + gap) - gap,
    height: 2 + rows * (size + gap) - gap,
    paths: cellOrder.flatMap((state) => {
      const outline = outlines.get(state);
      return outline === undefined ? [] : [{ state, outline }];
    }),
  };
}

const square = (x: number, y: number) => `M${x} ${y}h${size}v${size}h${-size}z`;

/** Empty, full, half, a bar, a diamond, a triangle, a crossed-out square, a cross. The style sheet fills or strokes them by state. */
const forms: Readonly<Record<CellState, (x: number, y: number) => string>> = {
  free: square,
  held: square,
  booting: (x, y) => `${square(x, y)}M${x} ${y + size}l${size} ${-size}v${size}z`,
  closed: (x, y) => `M${x + 1} ${y + size / 2}h${size - 2}`,
  sanitizing: (x, y) =>
    `M${x + size / 2} ${y}l${size / 2} ${size / 2}l${-size / 2} ${size / 2}l${-size / 2} ${-size / 2}z`,
  validating: (x, y) => `M${x + size / 2} ${y}l${size / 2} ${size}h${-size}z`,
  quarantined: (x, y) => `${square(x, y)}M${x} ${y + size}l${size} ${-size}`,
  unhealthy: (x, y) => `M${x + 1} ${y + 1}l${size - 2} ${size - 2}M${x + size - 1} ${y + 1}l${2 - size} ${size - 2}`,
};
