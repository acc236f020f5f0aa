// The NVSwitch partitions of a host: which GPUs each has, its state, and the instance that has it. Used by the drawer of
// a host; nothing is shown of a host without partitions.

import type { Shape } from "../../../../src/client/client.ts";
import { connected, type PartitionState, partitionMeanings } from "../../../../src/rules/gpu-partitions.ts";
import { useRead } from "../../api/queries.ts";
import { formatNumber } from "../../shared/format-number.ts";
import classes from "./host-drawer.module.css";
import { InstanceName } from "./instance-name.tsx";

const labels = {
  inactive: "Inactive",
  activating: "Activating",
  active: "Active",
  deactivating: "Deactivating",
} as const satisfies Record<PartitionState, string>;

/** Milliseconds between two looks: there is no event for a partition. */
const againMs = 15_000;

export function HostPartitions({ host }: { readonly host: Shape<"Host"> }) {
  const { data } = useRead(
    ["hosts", "partitions", host.name],
    (client) => client.GET("/gpu-partitions", { params: { query: { host: host.name } } }),
    { enabled: host.gpus.length > 0, again: (read) => (read?.data.length === 0 ? false : againMs) },
  );
  const partitions = data?.data ?? [];
  const [first] = partitions;
  if (first === undefined) return null;
  return (
    <details>
      <summary>
        NVSwitch partitions: {formatNumber(partitions.filter(({ state }) => state === connected).length)} of{" "}
        {formatNumber(partitions.length)} active
        {first.fabric_manager !== null && `, fabric manager ${first.fabric_manager}`}
      </summary>
      <table className={classes.gpus}>
        <caption className="hidden">NVSwitch partitions of {host.name}</caption>
        <thead>
          <tr>
            <th scope="col">Partition</th>
            <th scope="col">GPUs</th>
            <th scope="col">State</th>
            <th scope="col">Instance</th>
          </tr>
        </thead>
        <tbody>
          {partitions.map(({ id, gpus, state, held_by: instance, failures }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>
                {gpus.map((address) => (
                  <code key={address} className={classes.node}>
                    {address}
                  </code>
                ))}
              </td>
              <td>
                <span title={partitionMeanings[state]}>{labels[state]}</span>
                {failures > 0 && <span className={classes.node}>failed {formatNumber(failures)} times</span>}
              </td>
              <td>{instance === null ? <span className="soft">–</span> : <InstanceName id={instance} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
