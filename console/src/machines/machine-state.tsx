// The state of a machine in a word and a colour, and what it is waiting for while it boots.

import type { Shape } from "../../../src/client/index.ts";
import classes from "./machine-state.module.css";

type Instance = Shape<"Instance">;
export type State = Instance["status"];

/** How a state is shown; `moving`: it passes by itself. */
export const states: Readonly<
  Record<State, { readonly title: string; readonly colour: string; readonly moving?: true }>
> = {
  booting: { title: "Booting", colour: "var(--accent)", moving: true },
  active: { title: "Active", colour: "var(--good)" },
  stopping: { title: "Stopping", colour: "var(--warn)", moving: true },
  stopped: { title: "Stopped", colour: "var(--idle)" },
  terminating: { title: "Terminating", colour: "var(--warn)", moving: true },
  terminated: { title: "Terminated", colour: "var(--idle)" },
};

interface MachineStateProps {
  readonly machine: Pick<Instance, "status" | "health" | "progress" | "failure">;
  /** What it waits for stands behind the state, and not below: nothing moves when the wait is over. */
  readonly inLine?: boolean;
}

export function MachineState({ machine, inLine = false }: MachineStateProps) {
  const { title, colour, moving } = states[machine.status];
  const unreachable = machine.status === "active" && machine.health === "unreachable";
  const failed = machine.failure !== null && (machine.status === "terminating" || machine.status === "terminated");
  // The state again says nothing more.
  const progress = machine.status === "booting" && machine.progress !== machine.status ? machine.progress : null;
  return (
    <span className={classes.state}>
      <span
        className={classes.dot}
        data-moving={moving}
        style={{ background: failed ? "var(--bad)" : unreachable ? "var(--warn)" : colour }}
      />
      <span>
        {failed ? "Failed" : unreachable ? "Unreachable" : title}
        {progress !== null && (
          <span className={classes.progress} data-in-line={inLine || undefined}>
            {progress}
          </span>
        )}
      </span>
    </span>
  );
}

/** In a list: wide enough for what it waits for in few lines. */
export function StateCell({ machine }: Pick<MachineStateProps, "machine">) {
  return (
    <div className={classes.cell}>
      <MachineState machine={machine} />
    </div>
  );
}
