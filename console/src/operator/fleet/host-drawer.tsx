// A host in full, beside the map: its resources, which instance has which GPU, its state, and its other changes.

import { Drawer } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { drainingMode } from "../../../../src/rules/host-lifecycle.ts";
import { useRead } from "../../api/queries.ts";
import { tagText } from "../../instances/tag-lines.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { HostChanges, type HostQuestion } from "./host-changes.tsx";
import { HostDecisions } from "./host-decision.tsx";
import classes from "./host-drawer.module.css";
import { HostGpuTable } from "./host-gpu-table.tsx";
import { HostHealth } from "./host-health.tsx";
import { HostPartitions } from "./host-partitions.tsx";
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

function HostInFull({ host: listed, onLost, children }: HostInFullProps) {
  const host = useDraining(listed);
  return (
    <div className={classes.whole}>
      <div className={classes.line}>
        <HostStanding host={host} />
        <span className="soft">
          {host.region} · engine {host.engine}
        </span>
      </div>
      <HostHealth host={host} />
      <Amount title="vCPUs" free={host.free_vcpus} all={host.vcpus} unit="" />
      <Amount title="Memory" free={host.free_memory_gib} all={host.memory_gib} unit=" GiB" />
      <Amount title="Storage" free={host.free_storage_gb} all={host.storage_gb} unit=" GB" />
      <HostGpuTable host={host} />
      <HostPartitions host={host} />
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

/** Milliseconds between two looks at a host that is emptied: the removal of an old copy has no event. */
const drainMilliseconds = 5_000;

/** The host, as it is now while it is emptied. */
function useDraining(host: Host): Host {
  const isEmptied = host.mode === drainingMode && host.instances > 0;
  const { data } = useRead(
    ["hosts", "one", host.name],
    (client) => client.GET("/hosts/{name}", { params: { path: { name: host.name } } }),
    { enabled: isEmptied, again: (read) => (read?.data.instances === 0 ? false : drainMilliseconds) },
  );
  return isEmptied && data?.data.mode === drainingMode ? data.data : host;
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
