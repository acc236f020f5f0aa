// The GPUs of a host in its details: the state of each, why one is quarantined or is to be, who decided it and what was
// found, its instance, and what an operator does with it.

import type { Shape } from "../../../../src/client/client.ts";
import { useRead } from "../../api/queries.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { BackNote } from "../../shared/returning.tsx";
import { Time } from "../../shared/time.tsx";
import { cellState, cellStates } from "./cells.ts";
import { CellSign } from "./cells.tsx";
import { GpuMenu } from "./gpu-menu.tsx";
import classes from "./host-drawer.module.css";
import { InstanceName } from "./instance-name.tsx";
import { QuarantineNote } from "./quarantine-note.tsx";

export function HostGpuTable({ host }: { readonly host: Shape<"Host"> }) {
  const { data } = useRead(
    ["gpus", "of", host.name],
    (client) => client.GET("/gpus", { params: { query: { host: host.name, quarantined: true } } }),
    { enabled: host.gpus.length > 0 },
  );
  if (host.gpus.length === 0) return <p className="soft">It has no GPUs.</p>;
  return (
    <table className={classes.gpus}>
      <caption className="hidden">GPUs of {host.name}</caption>
      <thead>
        <tr>
          <th scope="col">GPU</th>
          <th scope="col">Model</th>
          <th scope="col">State</th>
          <th scope="col">Instance</th>
          <th scope="col">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {host.gpus.map((gpu) => {
          const state = cellState(host, gpu);
          const quarantined = data?.data.find(({ address }) => address === gpu.address);
          return (
            <tr key={gpu.address}>
              <th scope="row">
                <code>{gpu.address}</code>
                <span className={classes.node}>node {gpu.numa_node}</span>
              </th>
              <td>
                {gpu.model}
                {gpu.memory_gib > 0 && <span className={classes.node}>{formatNumber(gpu.memory_gib)} GiB</span>}
              </td>
              <td>
                <span className={classes.line}>
                  <CellSign state={state} />
                  {cellStates[state].label}
                </span>
                <BackNote at={gpu.back_at} className={classes.node} />
                {quarantined !== undefined && <QuarantineNote gpu={quarantined} className={classes.node} />}
                {gpu.last_validation !== null && (
                  <span className={classes.node}>
                    Validation {gpu.last_validation.verdict} <Time at={gpu.last_validation.at} />
                  </span>
                )}
              </td>
              <td>{gpu.held_by === null ? <span className="soft">–</span> : <InstanceName id={gpu.held_by} />}</td>
              <td>
                <GpuMenu host={host.name} gpu={gpu} isToQuarantine={quarantined?.quarantine_next != null} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
