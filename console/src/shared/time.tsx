// A time relative to now, with the exact one on hover, updated while it is on the screen. Every page shows times with this
// (test/codebase/console.test.ts).

import { useEffect, useState } from "react";
import { relative } from "../../../src/rules/relative-time.ts";
import { changesIn, exactly, span } from "./format-time.ts";

/** `at`: an ISO 8601 moment; null is shown as `never`. */
export function Time({ at, never = "never" }: { readonly at: string | null; readonly never?: string }) {
  if (at === null) return <span className="soft">{never}</span>;
  return <Moment at={at} />;
}

function Moment({ at }: { readonly at: string }) {
  const moment = Date.parse(at);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = window.setTimeout(() => setNow(Date.now()), changesIn(moment, now));
    return () => window.clearTimeout(timer);
  }, [moment, now]);
  return (
    <time dateTime={at} title={exactly(at)}>
      {relative(moment, now)}
    </time>
  );
}

/** "in 1 min 35 s", to the second while it is on the screen; "now" when it is over. */
export function Countdown({ at }: { readonly at: string }) {
  const moment = Date.parse(at);
  const [now, setNow] = useState(Date.now);
  const isOver = now >= moment;
  useEffect(() => {
    if (isOver) return;
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [isOver]);
  return (
    <time dateTime={at} title={exactly(at)}>
      {isOver ? "now" : `in ${span((moment - now) / 1000)}`}
    </time>
  );
}
