// What an action does to instances: which they are, what is lost, what stays, and what is billed.

import type { Shape } from "../../../src/client/client.ts";
import type { InstanceAction as Action } from "../../../src/rules/lifecycle.ts";
import { counted, formatNumber } from "../shared/format-number.ts";
import { nameShown } from "../shared/readable-name.ts";
import { actionEffects } from "./action-words.ts";

type Instance = Shape<"Instance">;

interface LossProps {
  readonly action: Action;
  /** At least one. */
  readonly instances: readonly Instance[];
}

/** At most this many are listed. */
const mostNamed = 8;

export function Loss({ action, instances }: LossProps) {
  const [only] = instances;
  if (action === "terminate" && instances.length === 1 && only !== undefined) return <OneTerminated instance={only} />;
  const named = instances.slice(0, mostNamed).map(nameShown);
  const more = instances.length - named.length;
  return (
    <>
      {instances.length > 1 && (
        <p>
          {named.join(", ")}
          {more > 0 && ` and ${counted(more, "more instance")}`}.
        </p>
      )}
      <p>{instances.length > 1 ? several[action] : actionEffects[action]}</p>
      {action === "terminate" && instances.some(({ file_system_names: names }) => names.length > 0) && (
        <p>Their file systems and the data on them are kept.</p>
      )}
    </>
  );
}

/** `actionEffects` of several instances. */
const several: Readonly<Record<Action, string>> = {
  stop: "They shut down. Their disks, addresses and GPUs stay reserved, and they stay billed.",
  reboot: "They shut down and start again. Running programs are interrupted.",
  restart: "They start again.",
  terminate:
    "They shut down, and their disks are deleted with all data. Billing ends immediately. This can't be undone.",
};

function OneTerminated({ instance }: { readonly instance: Instance }) {
  const { instance_type, ip, file_system_names: names } = instance;
  return (
    <>
      <p>
        The instance is removed.{" "}
        <strong>Deleted: its disk of {formatNumber(instance_type.storage_gb)} GB with all data</strong>
        {ip !== null && (
          <>
            , and its address <code>{ip}</code>
          </>
        )}
        . This can't be undone.
      </p>
      <p>
        {names.length > 0 &&
          `Kept: ${names.length === 1 ? "the file system" : "the file systems"} ${names.join(", ")} with all data. `}
        Billing ends immediately.
      </p>
    </>
  );
}
