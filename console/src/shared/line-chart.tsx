// Values over time as lines, drawn by hand: an SVG of some paths. Times without a value are gaps. For people who cannot
// see it, its name says the values in words, and its page has them as a table.

import { type PointerEvent, useId, useState } from "react";
import { formatNumber } from "./format-number.ts";
import { span } from "./format-time.ts";
import classes from "./line-chart.module.css";
import { type Line, linePath, pointAt } from "./line-path.ts";

export interface LineChartProps {
  readonly title: string;
  /** At least one; with several, each has a color and a place in the legend. */
  readonly lines: readonly Line[];
  /** Seconds of each value. The last one is of now. */
  readonly step: number;
  /** The value at the top; 0 is at the bottom. */
  readonly most: number;
  readonly format: (value: number) => string;
  /** What the values say, in words. */
  readonly words: string;
}

const colors = ["accent", "good", "warn", "bad", "idle"];
const colorOf = (index: number): string => `var(--${colors[index % colors.length] ?? "accent"})`;
/** From the second round of colors on. */
const dashOf = (index: number): string | undefined => (index < colors.length ? undefined : "5 3");
/** The square in the legend, with stripes for a dashed line. */
function swatchOf(index: number): string {
  const color = colorOf(index);
  if (dashOf(index) === undefined) return color;
  return `repeating-linear-gradient(90deg, ${color} 0 3px, transparent 3px 6px)`;
}

/** The drawing's own size; it is stretched to the place that there is. */
const size = { width: 600, height: 120 } as const;

export function LineChart({ title, lines, step, most, format, words }: LineChartProps) {
  const name = useId();
  const [at, setAt] = useState<number>();
  const count = Math.max(1, ...lines.map(({ values }) => values.length));
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setAt(pointAt((clientX - left) / width, count));
  };
  const shown = at ?? count - 1;
  return (
    <figure className={classes.chart} aria-labelledby={name}>
      <figcaption className={classes.caption}>
        <strong id={name}>{title}</strong>
        <span className="soft">
          {at === undefined || at === count - 1 ? "now" : `${span((count - 1 - at) * step)} ago`}
        </span>
      </figcaption>
      <div className={classes.top}>{format(most)}</div>
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${words}`}
        onPointerMove={follow}
        onPointerLeave={() => setAt(undefined)}
      >
        {[0, 0.5, 1].map((share) => (
          <line
            key={share}
            x1={0}
            x2={size.width}
            y1={share * size.height}
            y2={share * size.height}
            className={classes.grid}
          />
        ))}
        {lines.map(({ key, values }, index) => (
          <path
            key={key}
            d={linePath(values, most, size)}
            className={classes.line}
            stroke={colorOf(index)}
            strokeDasharray={dashOf(index)}
          />
        ))}
        {at !== undefined && (
          <line
            x1={((at + 0.5) / count) * size.width}
            x2={((at + 0.5) / count) * size.width}
            y1={0}
            y2={size.height}
            className={classes.cursor}
          />
        )}
      </svg>
      <ul className={classes.legend} aria-hidden="true">
        {lines.map(({ key, label, values }, index) => (
          <li key={key}>
            <span className={classes.swatch} style={{ background: swatchOf(index) }} />
            {label} <strong>{valueNear(values, shown, format)}</strong>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** The value at that place, or a little before: the last one might not be there yet. */
function valueNear(values: Line["values"], at: number, format: LineChartProps["format"]): string {
  const value = values.slice(Math.max(0, at - 4), at + 1).findLast((one) => one !== null);
  return value === undefined || value === null ? "–" : format(value);
}

/** "12.5 %", "3 W". */
export function withSymbol(value: number, symbol: string): string {
  return `${formatNumber(value, value < 10 ? 1 : 0)} ${symbol}`.trimEnd();
}
