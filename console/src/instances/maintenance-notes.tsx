// Maintenance that lies ahead of instances, or keeps them stopped: when and why, and a button to defer it where the
// provider allows that. Shown above the instances, and on the page of each.

import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { afterWindowAction, type MaintenanceMode, modeTraits, phaseTraits } from "../../../src/rules/maintenance.ts";
import { useSession } from "../api/session-context.tsx";
import { counted } from "../shared/format-number.ts";
import { span } from "../shared/format-time.ts";
import { lazyPart } from "../shared/lazy-part.ts";
import { nameShown } from "../shared/readable-name.ts";
import { Time } from "../shared/time.tsx";
import classes from "./maintenance-notes.module.css";

type Instance = Shape<"Instance">;
type Maintenance = Shape<"InstanceMaintenance">;

const DeferDialog = lazyPart(async () => (await import("./defer-dialog.tsx")).DeferDialog);

/** At most this many are shown at first, and this many instances are named. */
const mostShown = 3;

interface Affected {
  readonly maintenance: Maintenance;
  readonly instances: readonly Instance[];
}

/** Nothing if there is none. */
export function MaintenanceNotes({ instances }: { readonly instances: readonly Instance[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const all = affectedBy(instances);
  if (all.length === 0) return null;
  const shown = isWhole ? all : all.slice(0, mostShown);
  return (
    <div className={classes.notes}>
      {shown.map((one) => (
        <Note key={one.maintenance.id} {...one} />
      ))}
      {shown.length < all.length && (
        <Button variant="subtle" size="xs" onClick={() => setIsWhole(true)}>
          Show all maintenance
        </Button>
      )}
    </div>
  );
}

/** Each maintenance once, by its begin. */
function affectedBy(instances: readonly Instance[]): readonly Affected[] {
  const byId = new Map<string, { maintenance: Maintenance; instances: Instance[] }>();
  for (const instance of instances) {
    const { maintenance } = instance;
    if (maintenance === null) continue;
    const known = byId.get(maintenance.id);
    if (known === undefined) byId.set(maintenance.id, { maintenance, instances: [instance] });
    else known.instances.push(instance);
  }
  return [...byId.values()].sort((a, b) => Date.parse(a.maintenance.from) - Date.parse(b.maintenance.from));
}

function Note({ maintenance, instances }: Affected) {
  const { may } = useSession();
  const [isDeferring, setIsDeferring] = useState(false);
  const { from, to, mode, phase, reason, deferrable_until: limit } = maintenance;
  const canDefer =
    afterWindowAction(phase, "defer") !== undefined && limit !== null && Date.parse(limit) > Date.parse(from);
  return (
    <Alert color="amber" title={`Maintenance: ${reason}`} role="status" p="xs">
      <div className={classes.line}>
        <p className={classes.text}>
          {phaseTraits[phase].isInForce ? (
            <>
              Ends <Time at={to} />.{" "}
            </>
          ) : (
            <>
              Begins <Time at={from} /> and lasts {span((Date.parse(to) - Date.parse(from)) / 1000)}.{" "}
            </>
          )}
          {effect(named(instances), mode, phaseTraits[phase].isInForce)}
        </p>
        {may("rent") && canDefer && (
          <Button variant="default" size="xs" onClick={() => setIsDeferring(true)}>
            Defer
          </Button>
        )}
      </div>
      {isDeferring && <DeferDialog maintenance={maintenance} onClose={() => setIsDeferring(false)} />}
    </Alert>
  );
}

function named(instances: readonly Instance[]): string {
  const names = instances.slice(0, mostShown).map(nameShown);
  const more = instances.length - names.length;
  return more === 0 ? names.join(", ") : `${names.join(", ")} and ${counted(more, "more instance")}`;
}

function effect(names: string, mode: MaintenanceMode, isInForce: boolean): string {
  const { stopsInstances, movesInstances } = modeTraits[mode];
  if (!stopsInstances) return `Keeps running: ${names}.`;
  if (movesInstances)
    return isInForce
      ? `Stopped until moved to another host, at the latest until then: ${names}.`
      : `Stops, and starts again on another host: ${names}.`;
  return isInForce ? `Stopped until then: ${names}.` : `Stops for that time: ${names}.`;
}
