// A host in full, beside the map: its resources, which instance has which GPU, its state, and its other changes.

import { Drawer } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { useRead } from "../../api/queries.ts";
import { tagText } from "../../instances/tag-lines.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { nameShown } from "../../shared/readable-name.ts";
import { cellState, cellStates } from "./cells.ts";
import { CellSign } from "./cells.tsx";
import { HostChanges, type HostQuestion } from "./host-changes.tsx";
import { HostDecisions } from "./host-decision.tsx";
import classes from "./host-drawer.module.css";
import { HostStanding } from "./host-table.tsx";
import { LostDialog } from "./lost-dialog.tsx";

type Host = Shape<"Host">;

export function HostDrawer({ host, onClose }: { readonly host: Host | undefined; readonly onClose: () => void }) {
  // With the host's name, so that a deleted host closes its dialog.
  const [asked, setAsked] = useState<{ readonly of: string; readonly question: HostQuestion | "lost" }>();
  const question = asked?.of === host?.name ? (asked?.question ?? null) : null;
  return (
    <Drawer
      opened={host !== undefined}
      onClose={onClose}
      // The escape key closes what is on top.
      closeOnEscape={question === null}
      position="right"
      size={520}
      title={host?.name ?? ""}
      closeButtonProps={{ "aria-label": "Close" }}
      transitionProps={{ duration: 120 }}
    >
      {host !== undefined && (
        <HostInFull host={host} key={host.name} onLost={() => setAsked({ of: host.name, question: "lost" })}>
          <HostChanges
            host={host}
            question={question === "lost" ? null : question}
            ask={(next) => setAsked({ of: host.name, question: next })}
            onRemoved={onClose}
          />
          {question === "lost" && <LostDialog name={host.name} onClose={() => setAsked(undefined)} />}
        </HostInFull>
      )}
    </Drawer>
  );
}

interface HostInFullProps {
  readonly host: Host;
  readonly onLost: () => void;
  readonly children: ReactNode;
}

function HostInFull({ host, onLost, children }: HostInFullProps) {
  return (
    <div className={classes.whole}>
      <div className={classes.line}>
        <HostStanding host={host} />
        <span className="soft">
          {host.region} · engine {host.engine}
        </span>
      </div>
      <Amount title="vCPUs" free={host.free_vcpus} all={host.vcpus} unit="" />
      <Amount title="Memory" free={host.free_memory_gib} all={host.memory_gib} unit=" GiB" />
      <Amount title="Storage" free={host.free_storage_gb} all={host.storage_gb} unit=" GB" />
      <Gpus host={host} />
      {host.overridden !== null && (
        <p className={classes.note}>
          An operator has overridden the discovered sizes: it counts as {formatNumber(host.overridden.vcpus)} vCPUs,{" "}
          {formatNumber(host.overridden.memory_gib)} GiB of memory and {formatNumber(host.overridden.storage_gb)} GB of
          storage.
        </p>
      )}
      <Described host={host} />
      <HostDecisions host={host} onLost={onLost} />
      {children}
    </div>
  );
}

/** Its note and labels. */
function Described({ host: { note, labels } }: { readonly host: Host }) {
  const tags = Object.entries(labels).map(([key, value]) => ({ key, value }));
  if (note === "" && tags.length === 0) return null;
  return (
    <div className={classes.described}>
      {note !== "" && <p className={classes.note}>{note}</p>}
      <span className={classes.line}>
        {tags.map(tagText).map((text) => (
          <code key={text}>{text}</code>
        ))}
      </span>
    </div>
  );
}

function Gpus({ host }: { readonly host: Host }) {
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
        </tr>
      </thead>
      <tbody>
        {host.gpus.map((gpu) => {
          const state = cellState(host, gpu);
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
              </td>
              <td>{gpu.held_by === null ? <span className="soft">–</span> : <InstanceName id={gpu.held_by} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Used and total, as text and as a bar. */
function Amount(props: { readonly title: string; readonly free: number; readonly all: number; readonly unit: string }) {
  const { title, free, all, unit } = props;
  const share = all === 0 ? 0 : (all - free) / all;
  return (
    <div className={classes.amount}>
      <span>{title}</span>
      <span className="soft">
        {formatNumber(free)} of {formatNumber(all)}
        {unit} free
      </span>
      <span className={classes.bar} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  );
}

function InstanceName({ id }: { readonly id: string }) {
  const { data } = useRead(["instances", id], (client) => client.GET("/instances/{id}", { params: { path: { id } } }));
  return <Link href={`/operator/instances/${id}`}>{data === undefined ? id.slice(0, 8) : nameShown(data.data)}</Link>;
}
