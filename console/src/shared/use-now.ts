// The present, again and again, for what goes on while it is looked at: a cost, a countdown.

import { useEffect, useState } from "react";

/** Milliseconds since 1970, anew after each `stepMilliseconds`; stands still while `running` is false. */
export function useNow(stepMilliseconds: number, running = true): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    const timer = window.setInterval(() => setNow(Date.now()), stepMilliseconds);
    return () => window.clearInterval(timer);
  }, [stepMilliseconds, running]);
  return now;
}
