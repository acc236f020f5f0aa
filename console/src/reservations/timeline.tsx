// A calendar: for each region how much can be reserved, step by step, and below it the reservations as bars. Used by
// calendar-view.tsx.

import { formatNumber } from "../shared/format-number.ts";
import { dayOf } from "../shared/format-time.ts";
import { daysOf, lanesOf, placeOf, type Span } from "./lanes.ts";
import classes from "./timeline.module.css";

export interface Step extends Span {
  /** How many could be reserved for all of it. */
  readonly available: number;
}

export interface Bar extends Span {
  readonly id: string;
  readonly label: string;
  readonly tone: "scheduled" | "active" | "over" | "risk";
}

interface TimelineProps {
  readonly shown: Span;
  readonly regions: readonly {
    readonly name: string;
    readonly steps: readonly Step[];
    readonly bars: readonly Bar[];
  }[];
}

/** A narrower step has no space for its number, which is its title then. */
const leastPercent = 4;

/** The space for the label of a bar, and of a day. */
const labelPercent = 25;
const dayPercent = 8;

export function Timeline({ shown, regions }: TimelineProps) {
  return (
    <figure className={classes.all} aria-label="Calendar">
      <div className={classes.row} aria-hidden="true">
        <span />
        <div className={classes.days}>
          <span style={{ left: 0 }}>Now</span>
          {daysOf(shown).map((ms) => {
            const left = ((ms - shown.fromMs) / (shown.toMs - shown.fromMs)) * 100;
            // The last one would stick out, and the first one run into "Now".
            return left > 94 || left < dayPercent ? null : (
              <span key={ms} style={{ left: `${left}%` }}>
                {dayOf(nameOf(ms))}
              </span>
            );
          })}
        </div>
      </div>
      {regions.map(({ name, steps, bars }) => (
        <section key={name} className={classes.row} aria-label={name}>
          <h3 className={classes.name} title={name}>
            {name}
          </h3>
          <div>
            <ul className={classes.lane} aria-label={`Available in ${name}`}>
              {steps.map((step) => (
                <StepMark key={step.fromMs} step={step} shown={shown} />
              ))}
            </ul>
            {lanesOf(drawn(bars, shown), ((shown.toMs - shown.fromMs) * labelPercent) / 100).map((lane) => (
              <ul key={lane[0]?.id} className={classes.lane} aria-label={`Reservations in ${name}`}>
                {lane.map((bar) => (
                  <BarMark key={bar.id} bar={bar} shown={shown} />
                ))}
              </ul>
            ))}
          </div>
        </section>
      ))}
      <figcaption className={classes.key}>
        The numbers are instances that can be reserved at that time. Days are in UTC.
      </figcaption>
    </figure>
  );
}

/** Those that are seen. One that began before is labelled where the calendar begins. */
function drawn(bars: readonly Bar[], shown: Span): DrawnBar[] {
  return bars.flatMap((bar) => {
    const fromMs = Math.max(bar.fromMs, shown.fromMs);
    return placeOf(bar, shown) === undefined ? [] : [{ ...bar, fromMs, words: `${bar.label}, ${timesOf(bar)}` }];
  });
}

interface DrawnBar extends Bar {
  /** With its own times. */
  readonly words: string;
}

function StepMark({ step, shown }: { readonly step: Step; readonly shown: Span }) {
  const place = placeOf(step, shown);
  if (place === undefined) return null;
  const words = `${formatNumber(step.available)} available ${timesOf(step)}`;
  return (
    <li className={classes.step} style={styleOf(place)} data-full={step.available === 0} title={words}>
      <span aria-hidden="true">{place.width < leastPercent ? "" : formatNumber(step.available)}</span>
      <span className="hidden">{words}</span>
    </li>
  );
}

function BarMark({ bar, shown }: { readonly bar: DrawnBar; readonly shown: Span }) {
  const place = placeOf(bar, shown);
  if (place === undefined) return null;
  const { words } = bar;
  return (
    <li
      className={classes.bar}
      style={styleOf(place)}
      data-tone={bar.tone}
      data-whole={place.left <= 100 - labelPercent}
      title={words}
    >
      <span aria-hidden="true">{bar.label}</span>
      <span className="hidden">{words}</span>
    </li>
  );
}

const styleOf = ({ left, width }: { readonly left: number; readonly width: number }) => ({
  left: `${left}%`,
  width: `${width}%`,
});

/** "2026-03-18" */
const nameOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** "18 Mar 08:00 to 20 Mar 08:00 (UTC)" */
function timesOf({ fromMs, toMs }: Span): string {
  const moment = (ms: number) => `${dayOf(nameOf(ms))} ${new Date(ms).toISOString().slice(11, 16)}`;
  return `${moment(fromMs)} to ${moment(toMs)} (UTC)`;
}
