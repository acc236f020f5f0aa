// Whether the host's clock agrees with this machine's.

import { type Finding, ok, warning } from "../../check/finding.ts";
import { clockSkew } from "../host/clock.ts";
import { on, type Subject } from "./subject.ts";

/** Certificates depend on the clock, and logs of several machines are compared. */
const TOLERATED_SECONDS = 10;

export async function* checkClock({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = on(place, "clock");
  const skew = await clockSkew(place, signal);
  if (skew === undefined) return;
  const by = Math.round(Math.abs(skew));
  if (by <= TOLERATED_SECONDS) return yield ok(what, "goes with this machine's");
  yield warning(
    what,
    `is ${by} s ${skew > 0 ? "ahead of" : "behind"} this machine's`,
    "synchronize both with a time server: apt-get install systemd-timesyncd",
  );
}
