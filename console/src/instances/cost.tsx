// The cost of an instance so far, updated while it is on the screen.

import { useEffect, useState } from "react";
import { dollars } from "../shared/format-money.ts";
import { type Billed, costNow, isBilled } from "./live-cost.ts";

interface CostProps {
  readonly instance: Billed;
  /** When it was read, in milliseconds since 1970. */
  readonly readAt: number;
  readonly digits?: 2 | 4;
}

export function Cost({ instance, readAt, digits = 2 }: CostProps) {
  const now = useNow(digits === 4 ? 1_000 : 10_000, isBilled(instance));
  return (
    <span title={dollars(BigInt(instance.cost_micro_cents), 8)}>{dollars(costNow(instance, readAt, now), digits)}</span>
  );
}

/** Milliseconds since 1970, updated every `stepMilliseconds` while `running`. */
function useNow(stepMilliseconds: number, running = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    const timer = window.setInterval(() => setNow(Date.now()), stepMilliseconds);
    return () => window.clearInterval(timer);
  }, [stepMilliseconds, running]);
  return now;
}
