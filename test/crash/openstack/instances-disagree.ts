// Whether instances are what a model says, and the cloud has what they say. Used by history.ts.

import { serversOf } from "../../support/fake-openstack/engines.ts";
import type { FakeCloud } from "../../support/fake-openstack/stand.ts";
import type { Stage } from "../../support/stage.ts";
import { cloudDisagrees, type Shown } from "./cloud-disagrees.ts";

/** An instance in the model. */
export interface Instance {
  /** What it was last told to be. */
  readonly wanted: "active" | "stopped" | "terminated";
  /** Whether something happened that it need not survive: it may be terminated, or stopped if it was to be active. */
  readonly mayEnd: boolean;
  readonly fileSystemId: string | undefined;
}

/** One line for each difference. `fileSystems`: the ids of all there are. */
export async function instancesDisagree(
  stage: Stage,
  stand: FakeCloud,
  model: ReadonlyMap<string, Instance>,
  fileSystems: readonly string[],
): Promise<string[]> {
  const wrong: string[] = [];
  const shown: Shown[] = [];
  for (const [id, { wanted, mayEnd, fileSystemId }] of model) {
    const row = await stage.row(id);
    shown.push({ ...row, fileSystemId });
    const hasEnded = mayEnd && (row.state === "terminated" || (wanted === "active" && row.state === "stopped"));
    const servers = serversOf(stand, row).map(({ status, task, host }) => `${status} ${task} on ${host}`);
    const told = `${id} is ${row.state} (${row.progress}, ${row.failure_code} ${row.failure_message}; ${servers})`;
    if (row.state !== wanted && !hasEnded) wrong.push(`${told} and not ${wanted}`);
    else if (row.next_look_at !== null) wrong.push(`${told}, and is looked at again`);
  }
  return [...wrong, ...cloudDisagrees(stand, shown, fileSystems)];
}
