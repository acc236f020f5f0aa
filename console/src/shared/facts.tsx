// Names and values of one object, side by side.

import type { ReactNode } from "react";
import classes from "./facts.module.css";

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A figure with its label. */
export function Figure(props: { readonly name: string; readonly value: ReactNode; readonly beside?: ReactNode }) {
  return (
    <div className={classes.figure}>
      <p className={classes.figureName}>{props.name}</p>
      <div className={classes.figureValue}>{props.value}</div>
      {props.beside !== undefined && <p className={classes.figureBeside}>{props.beside}</p>}
    </div>
  );
}

/** Figures in a row, as many as fit. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return <div className={classes.figures}>{children}</div>;
}
