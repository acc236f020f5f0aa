// An empty state: what would be here, and how it gets here. The children are one sentence and at most one button.

import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";
import classes from "./states.module.css";

export function EmptyState(props: { readonly icon: IconName; readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={classes.state}>
      <span className={classes.icon}>
        <Icon name={props.icon} size={20} />
      </span>
      <p className={classes.title}>{props.title}</p>
      {props.children !== undefined && <div className={classes.text}>{props.children}</div>}
    </div>
  );
}
