// What a spot instance shows: a badge, and while its notice runs when it is evicted.

import { Alert, Badge } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import { isLive } from "../../../src/rules/lifecycle.ts";
import { Countdown } from "../shared/time.tsx";

type Instance = Pick<Shape<"Instance">, "spot" | "status" | "evict_at" | "ended_by" | "cost_micro_cents">;

export function SpotBadge({ isSpot }: { readonly isSpot: boolean }) {
  return isSpot ? (
    <Badge size="sm" variant="default">
      Spot
    </Badge>
  ) : null;
}

/** When it is evicted; undefined: it is not under notice. */
export function evictionOf({ status, evict_at: at }: Pick<Instance, "status" | "evict_at">): string | undefined {
  return at === null || !isLive[status] ? undefined : at;
}

/** While its notice runs, and after its end; nothing otherwise. */
export function EvictionNote({ instance }: { readonly instance: Instance }) {
  const at = evictionOf(instance);
  if (at !== undefined) {
    return (
      <Alert color="amber" title="Spot instance is being evicted" role="status">
        A launch or a reservation needs what it holds. It halts shortly before, and is terminated with its disk{" "}
        <Countdown at={at} />. Save your work on a file system. If that is no longer needed, it keeps running.
      </Alert>
    );
  }
  if (instance.ended_by !== "preempted") return null;
  return (
    <Alert color="gray" title="Evicted">
      It was a spot instance, and a launch or a reservation needed what it held.
      {instance.cost_micro_cents === "0" && " Evicted within five minutes, it costs nothing."}
    </Alert>
  );
}
