// The state of a machine in a word and a colour, and what it is waiting for while it boots.

import type { Shape } from "../../../src/client/index.ts";
import { isBooting, isLive, isReady, isTransient } from "../../../src/rules/lifecycle.ts";
import classes from "./machine-state.module.css";
import { stateWords } from "./state-words.ts";

type Instance = Shape<"Instance">;

interface MachineStateProps {
  readonly machine: Pick<Instance, "status" | "health" | "progress" | "failure">;
  /** What it waits for stands behind the state, and not below: nothing moves when the wait is over. */
  readonly inLine?: boolean;
}

export function MachineState({ machine, inLine = false }: MachineStateProps) {
  const { title, colour } = stateWords[machine.status];
  const unreachable = isUnreachable(machine);
  const failed = machine.failure !== null && !isLive[machine.status];
  // The state again says nothing more.
  const progress = isBooting[machine.status] && machine.progress !== machine.status ? machine.progress : null;
  return (
    <span className={classes.state}>
      <span
        className={classes.dot}
        data-moving={isTransient[machine.status] || undefined}
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

/** Whether it should answer, and does not. */
export function isUnreachable({ status, health }: Pick<Instance, "status" | "health">): boolean {
  return isReady[status] && health === "unreachable";
}

/** In a list: wide enough for what it waits for in few lines. */
export function StateCell({ machine }: Pick<MachineStateProps, "machine">) {
  return (
    <div className={classes.cell}>
      <MachineState machine={machine} />
    </div>
  );
}
