// The map: hosts as tiles, by region. One tile is in the tab order, arrow keys move between tiles. For a thousand hosts, a
// tile is kept while its host is unchanged, and tiles off the screen cost no layout (content-visibility).

import { Skeleton } from "@mantine/core";
import { memo, useMemo, useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { counted } from "../../shared/format-number.ts";
import { Icon } from "../../shared/icon.tsx";
import { cellsInWords, countCells, countsInWords } from "./cells.ts";
import { HostCells } from "./cells.tsx";
import { shortName } from "./filter.ts";
import classes from "./fleet-map.module.css";
import { tileReached } from "./tile-keys.ts";

type Host = Shape<"Host">;

/** With more hosts than this, tiles are small. */
const manyHosts = 120;

interface FleetMapProps {
  readonly hosts: readonly Host[];
  readonly regions: readonly Shape<"Region">[];
  readonly chosen: string | null;
  readonly onChoose: (name: string) => void;
}

export function FleetMap({ hosts, regions, chosen, onChoose }: FleetMapProps) {
  const byRegion = useMemo(
    () => [...Map.groupBy(hosts, ({ region }) => region)].sort(([a], [b]) => (a < b ? -1 : 1)),
    [hosts],
  );
  const [entered, setEntered] = useState<string | null>(null);
  const inTabOrder = hosts.some(({ name }) => name === entered) ? entered : byRegion[0]?.[1][0]?.name;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys go from button to button within; each is a control itself
    <div
      data-dense={hosts.length > manyHosts}
      onKeyDown={(event) => {
        const reached = tileReached(event.currentTarget, event.key);
        if (reached === undefined) return;
        event.preventDefault();
        reached.focus();
      }}
    >
      {byRegion.map(([region, inRegion]) => (
        <section key={region} className={classes.region} aria-label={region}>
          <header className={classes.head}>
            <h2 className={classes.name}>{region}</h2>
            <span className="soft">{regions.find(({ name }) => name === region)?.description}</span>
            <span className={classes.counts}>
              {counted(inRegion.length, "host")} · {countsInWords(countCells(inRegion)) || "no GPUs"}
            </span>
          </header>
          <ul className={classes.tiles}>
            {inRegion.map((host) => (
              <Tile
                key={host.name}
                host={host}
                isChosen={host.name === chosen}
                inTabOrder={host.name === inTabOrder}
                onChoose={onChoose}
                onEnter={setEntered}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface TileProps {
  readonly host: Host;
  readonly isChosen: boolean;
  readonly inTabOrder: boolean;
  readonly onChoose: (name: string) => void;
  readonly onEnter: (name: string) => void;
}

const Tile = memo(({ host, isChosen, inTabOrder, onChoose, onEnter }: TileProps) => (
  <li className={classes.place}>
    <button
      type="button"
      data-tile
      className={classes.tile}
      data-closed={host.cordoned}
      data-away={!host.available}
      aria-current={isChosen}
      title={host.name}
      tabIndex={inTabOrder ? 0 : -1}
      onFocus={() => onEnter(host.name)}
      onClick={() => onChoose(host.name)}
    >
      <span className={classes.title}>
        <span className={classes.host}>{shortName(host)}</span>
        {!host.available && <Icon name="offline" size={13} />}
        {host.cordoned && <span className={classes.mark}>cordoned</span>}
      </span>
      {host.gpus.length > 0 ? <HostCells host={host} /> : <Processors host={host} />}
      <span className="hidden">{cellsInWords(host)}</span>
    </button>
  </li>
));

/** A host without GPUs shows its vCPUs in use. */
function Processors({ host }: { readonly host: Host }) {
  const share = host.vcpus === 0 ? 0 : (host.vcpus - host.free_vcpus) / host.vcpus;
  return (
    <span className={classes.processors}>
      <span className={classes.bar}>
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span>{counted(host.free_vcpus, "vCPU")} free</span>
    </span>
  );
}

const tiles = Array.from({ length: 12 }, (_, index) => `tile ${index}`);

/** The fleet before it is loaded, of about its later size, so that nothing jumps. */
export function FleetSkeleton() {
  return (
    <div aria-busy="true">
      <p className="hidden" role="status">
        Loading hosts.
      </p>
      <Skeleton height={36} />
      <Skeleton height={30} mt={14} width="60%" />
      {["first", "second"].map((region) => (
        <div key={region} className={classes.region}>
          <Skeleton height={20} width={180} mb={12} />
          <div className={classes.tiles}>
            {tiles.map((tile) => (
              <Skeleton key={tile} height={58} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}
