// When an engine was last resynced, as the service's schedule records it. Used by measures of a server at rest.

import { settingOf } from "../../src/reconciler/job-store.ts";
import { resyncJobOf } from "../../src/reconciler/resync-job.ts";
import type { Service } from "../service/service.ts";

/** The start of the last resync, as text: unchanged until the next one. */
export async function lastResync(service: Service, engine: string): Promise<string> {
  const [row] = await service.query<{ at: string }>("select value::text as at from settings where name = $1", [
    settingOf(resyncJobOf(engine)),
  ]);
  return row?.at ?? "never";
}
