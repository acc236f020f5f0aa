// The state of an instance as a label and a color, and what it waits for while it boots.

import type { Shape } from "../../../src/client/client.ts";
import { isBooting, isLive, isReady, isTransient } from "../../../src/rules/lifecycle.ts";
import { Countdown } from "../shared/time.tsx";
import classes from "./instance-state.module.css";
import { evictionOf } from "./spot.tsx";
import { stateWords } from "./state-labels.ts";

type Instance = Shape<"Instance">;

interface InstanceStateProps {
  readonly instance: Pick<Instance, "status" | "health" | "progress" | "failure" | "evict_at">;
  /** What it waits for is beside the state, so that nothing moves when the wait is over. */
  readonly inLine?: boolean;
}

export function InstanceState({ instance, inLine = false }: InstanceStateProps) {
  const { title, colour } = stateWords[instance.status];
  const unreachable = isUnreachable(instance);
  const failed = instance.failure !== null && !isLive[instance.status];
  // Not the state again.
  const progress = isBooting[instance.status] && instance.progress !== instance.status ? instance.progress : null;
  const evictedAt = evictionOf(instance);
  return (
    <span className={classes.state}>
      <span
        className={classes.dot}
        data-moving={isTransient[instance.status] || undefined}
        style={{ background: failed ? "var(--bad)" : unreachable ? "var(--warn)" : colour }}
      />
      <span>
        {failed ? "Failed" : unreachable ? "Unreachable" : title}
        {progress !== null && (
          <span className={classes.progress} data-in-line={inLine || undefined}>
            {progress}
          </span>
        )}
        {evictedAt !== undefined && (
          <span className={classes.progress} data-in-line={inLine || undefined}>
            evicted <Countdown at={evictedAt} />
          </span>
        )}
      </span>
    </span>
  );
}

/** Whether it should respond to probes, and does not. */
export function isUnreachable({ status, health }: Pick<Instance, "status" | "health">): boolean {
  return isReady[status] && health === "unreachable";
}

/** In a list: wide enough for what it waits for in few lines. */
export function StateCell({ instance }: Pick<InstanceStateProps, "instance">) {
  return (
    <div className={classes.cell}>
      <InstanceState instance={instance} />
    </div>
  );
}
