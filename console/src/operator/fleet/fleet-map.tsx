// The map: hosts as tiles, by region. One tile is in the tab order, arrow keys move between tiles. For thousands of hosts,
// tiles are drawn in steps and in groups, a group is kept while its hosts are unchanged, tiles off the screen cost no layout
// (content-visibility), and those far below are drawn when somebody scrolls there.

import { Skeleton } from "@mantine/core";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { counted } from "../../shared/format-number.ts";
import { Icon } from "../../shared/icon.tsx";
import { useGrowing } from "../../shared/use-growing.ts";
import { cellsInWords, countCells, countsInWords } from "./cells.ts";
import { HostCells } from "./cells.tsx";
import { shortName } from "./filter.ts";
import classes from "./fleet-map.module.css";
import { tileReached } from "./tile-keys.ts";

type Host = Shape<"Host">;

/** With more hosts than this, tiles are small. */
const manyHosts = 120;

/** Tiles that are compared and drawn together. */
const groupSize = 100;
const steps = { first: 100, more: 200, unasked: 300 };

interface FleetMapProps {
  readonly hosts: readonly Host[];
  /** Of the filter: where it changes, all hosts may be others. */
  readonly order: string;
  readonly regions: readonly Shape<"Region">[];
  readonly chosen: string | null;
  readonly onChoose: (name: string) => void;
}

export function FleetMap({ hosts, order, regions, chosen, onChoose }: FleetMapProps) {
  const byRegion = useMemo(() => regionsOf(hosts), [hosts]);
  const { count, isBusy, end, drawAll } = useGrowing(hosts.length, order, steps);
  const map = useRef<HTMLDivElement>(null);
  /** After the key End, until the last tile is drawn. */
  const isEndWanted = useRef(false);
  useEffect(() => {
    if (!isEndWanted.current || map.current === null || count < hosts.length) return;
    isEndWanted.current = false;
    tileReached(map.current, "End")?.focus();
  }, [count, hosts.length]);
  const [entered, setEntered] = useState<string | null>(null);
  const inTabOrder = hosts.some(({ name }) => name === entered) ? entered : byRegion[0]?.hosts[0]?.name;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys go from button to button within; each is a control itself
    <div
      ref={map}
      data-dense={hosts.length > manyHosts}
      aria-busy={isBusy || undefined}
      onKeyDown={(event) => {
        const reached = tileReached(event.currentTarget, event.key);
        if (reached === undefined) return;
        event.preventDefault();
        isEndWanted.current = event.key === "End" && count < hosts.length;
        if (isEndWanted.current) drawAll();
        else reached.focus();
      }}
    >
      {byRegion.map(
        ({ region, hosts: inRegion, before, words }) =>
          before < count && (
            <section key={region} className={classes.region} aria-label={region}>
              <header className={classes.head}>
                <h2 className={classes.name}>{region}</h2>
                <span className="soft">{regions.find(({ name }) => name === region)?.description}</span>
                <span className={classes.counts}>{words}</span>
              </header>
              <ul className={classes.tiles}>
                {groupsOf(inRegion.slice(0, Math.max(0, count - before))).map((group) => (
                  <TileGroup
                    key={group[0]?.name}
                    hosts={group}
                    chosen={nameIn(group, chosen)}
                    inTabOrder={nameIn(group, inTabOrder)}
                    onChoose={onChoose}
                    onEnter={setEntered}
                  />
                ))}
              </ul>
            </section>
          ),
      )}
      <div ref={end} />
    </div>
  );
}

interface InRegion {
  readonly region: string;
  readonly hosts: readonly Host[];
  /** How many hosts are in the regions before it. */
  readonly before: number;
  readonly words: string;
}

function regionsOf(hosts: readonly Host[]): readonly InRegion[] {
  const sorted = [...Map.groupBy(hosts, ({ region }) => region)].sort(([a], [b]) => (a < b ? -1 : 1));
  let before = 0;
  return sorted.map(([region, inRegion]) => {
    const counts = countsInWords(countCells(inRegion)) || "no GPUs";
    const one = { region, hosts: inRegion, before, words: `${counted(inRegion.length, "host")} · ${counts}` };
    before += inRegion.length;
    return one;
  });
}

function groupsOf(hosts: readonly Host[]): readonly (readonly Host[])[] {
  const starts = Array.from({ length: Math.ceil(hosts.length / groupSize) }, (_, index) => index * groupSize);
  return starts.map((start) => hosts.slice(start, start + groupSize));
}

/** The name, if a host of the group has it. */
function nameIn(group: readonly Host[], wanted: string | null | undefined): string | undefined {
  return group.find(({ name }) => name === wanted)?.name;
}

interface TileGroupProps {
  readonly hosts: readonly Host[];
  readonly chosen: string | undefined;
  readonly inTabOrder: string | undefined;
  readonly onChoose: (name: string) => void;
  readonly onEnter: (name: string) => void;
}

const TileGroup = memo(
  ({ hosts, chosen, inTabOrder, onChoose, onEnter }: TileGroupProps) =>
    hosts.map((host) => (
      <Tile
        key={host.name}
        host={host}
        isChosen={host.name === chosen}
        inTabOrder={host.name === inTabOrder}
        onChoose={onChoose}
        onEnter={onEnter}
      />
    )),
  (one, other) =>
    one.chosen === other.chosen &&
    one.inTabOrder === other.inTabOrder &&
    one.onChoose === other.onChoose &&
    one.onEnter === other.onEnter &&
    one.hosts.length === other.hosts.length &&
    one.hosts.every((host, index) => host === other.hosts[index]),
);

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
        {host.cordoned && <span className={classes.mark}>{host.mode}</span>}
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
