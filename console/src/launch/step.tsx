// A part of the order on the rent page.

import type { ReactNode } from "react";
import classes from "./launch-page.module.css";

interface StepProps {
  readonly title: string;
  readonly optional?: boolean;
  readonly children: ReactNode;
}

export function Step({ title, optional = false, children }: StepProps) {
  return (
    <section className={classes.step} aria-label={title}>
      <h2 className={classes.stepTitle}>
        {title}
        {optional && <span className="soft"> optional</span>}
      </h2>
      {children}
    </section>
  );
}
