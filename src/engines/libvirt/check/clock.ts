// Whether the host's clock agrees with this machine's: a volume is created in its memory, and the host reports the
// time.

import { randomBytes } from "node:crypto";
import { type Finding, ok, warning } from "../../check/finding.ts";
import { deleteVolume, memoryPool, putInMemory } from "../volumes.ts";
import { readOne } from "../xml/read.ts";
import { on, type Subject } from "./subject.ts";

/** Certificates depend on the clock, and logs of several machines are compared. */
const TOLERATED_SECONDS = 10;

export async function* checkClock({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = on(place, "clock");
  const skew = await skewSeconds(place, signal);
  if (skew === undefined) return;
  const by = Math.round(Math.abs(skew));
  if (by <= TOLERATED_SECONDS) return yield ok(what, "goes with this machine's");
  yield warning(
    what,
    `is ${by} s ${skew > 0 ? "ahead of" : "behind"} this machine's`,
    "synchronize both with a time server: apt-get install systemd-timesyncd",
  );
}

/** Positive: ahead. Undefined: the host does not report it. Throws VirshError. */
async function skewSeconds(place: Subject["place"], signal: AbortSignal): Promise<number | undefined> {
  const name = `lessor-clock-${randomBytes(6).toString("hex")}`;
  const before = Date.now() / 1000;
  try {
    await putInMemory(place, name, Buffer.from("?"), signal);
    const after = Date.now() / 1000;
    const volume = readOne(await place.virsh.call(["vol-dumpxml", "--pool", memoryPool, name], { signal }));
    const written = Number(volume.one("target", "timestamps", "mtime")?.text || Number.NaN);
    if (Number.isNaN(written)) return undefined;
    // Any time between the two is correct.
    return Math.max(written - after, 0) + Math.min(written - before, 0);
  } finally {
    await deleteVolume(place, memoryPool, name, AbortSignal.timeout(10_000)).catch(() => {});
  }
}
