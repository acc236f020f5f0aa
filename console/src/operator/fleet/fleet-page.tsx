// The fleet: hosts as tiles with GPUs as cells, by region, or as a table. `?host=` opens a host, so it can be linked to,
// and the back button closes it.

import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorState } from "../../shared/error-state.tsx";
import { FilterSelect } from "../../shared/filter-select.tsx";
import { counted, formatNumber } from "../../shared/format-number.ts";
import { Icon } from "../../shared/icon.tsx";
import { Page } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { type FleetFilter, filteredHosts, gpuModels, hostLabels, standings } from "./filter.ts";
import { FleetMap, FleetSkeleton } from "./fleet-map.tsx";
import classes from "./fleet-page.module.css";
import { HostDialog } from "./host-dialog.tsx";
import { HostDrawer } from "./host-drawer.tsx";
import { HostTable } from "./host-table.tsx";
import { Legend } from "./legend.tsx";
import { useDeclaringEngine, useHosts } from "./use-fleet.ts";

const named = (value: string) => ({ value, label: value });

export function FleetPage() {
  const { data, error, refetch } = useHosts();
  const missing = useSession().lack("fleet", "operator");
  const engine = useDeclaringEngine();
  const [isMaking, setMaking] = useState(false);
  const [chosen, choose] = useChosenHost();
  return (
    <Page
      title="Fleet"
      description="Every host and each of its GPUs. Choose a host to view, cordon or change it."
      actions={
        missing === undefined && engine === undefined ? undefined : (
          <Permitted to="change hosts" missing={missing}>
            <Button onClick={() => setMaking(true)}>New host</Button>
          </Permitted>
        )
      }
    >
      {data === undefined && error !== null && <ErrorState error={error} again={() => void refetch()} />}
      {data === undefined && error === null && <FleetSkeleton />}
      {data?.data.length === 0 && (
        <EmptyState icon="fleet" title="No hosts">
          Hosts of an engine appear when it is configured in lessor.yaml; create those of the simulated engine here, or
          with <code>lessor apply -f catalog.yaml</code>.
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && <Fleet list={data} chosen={chosen} choose={choose} />}
      {isMaking && engine !== undefined && (
        <HostDialog
          host={null}
          engine={engine}
          onClose={() => setMaking(false)}
          onSaved={(name) => {
            setMaking(false);
            choose(name);
          }}
        />
      )}
    </Page>
  );
}

/** The name of the host in the address, and its setter. */
function useChosenHost(): readonly [string | null, (name: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const choose = useCallback(
    (name: string | null) =>
      setSearch((former) => {
        const next = new URLSearchParams(former);
        if (name === null) next.delete("host");
        else next.set("host", name);
        return next;
      }),
    [setSearch],
  );
  return [search.get("host"), choose];
}

interface FleetProps {
  readonly list: NonNullable<ReturnType<typeof useHosts>["data"]>;
  readonly chosen: string | null;
  readonly choose: (name: string | null) => void;
}

function Fleet({ list: { data: hosts, isComplete }, chosen, choose }: FleetProps) {
  const [filter, setFilter] = useState<FleetFilter>({
    text: "",
    model: null,
    standing: null,
    label: null,
    state: null,
  });
  const [view, setView] = useState<"map" | "table">("map");
  // What is typed is shown at once, and the hosts right after it.
  const applied = useDeferredValue(filter);
  const shown = useMemo(() => filteredHosts(hosts, applied), [hosts, applied]);
  const labels = useMemo(() => hostLabels(hosts), [hosts]);
  const models = useMemo(() => gpuModels(hosts), [hosts]);
  const regions = useRead(["regions"], (client) => client.GET("/regions"));
  const set = (change: Partial<FleetFilter>) => setFilter((former) => ({ ...former, ...change }));

  return (
    <>
      <div className={classes.tools}>
        <TextInput
          aria-label="Find hosts"
          placeholder="Host, engine or region"
          leftSection={<Icon name="search" />}
          value={filter.text}
          onChange={(event) => set({ text: event.currentTarget.value })}
        />
        <FilterSelect
          name="GPU model"
          none="Any GPU"
          choices={models.map(named)}
          value={filter.model}
          onChange={(model) => set({ model })}
        />
        <FilterSelect
          name="Status"
          none="Any status"
          choices={Object.entries(standings).map(([value, { label }]) => ({ value, label }))}
          value={filter.standing}
          onChange={(standing) => set({ standing })}
        />
        {labels.length > 0 && (
          <FilterSelect
            name="Label"
            none="Any label"
            choices={labels.map(named)}
            value={filter.label}
            onChange={(label) => set({ label })}
            searchable
          />
        )}
        <SegmentedControl
          aria-label="View"
          value={view}
          onChange={setView}
          data={[
            { value: "map", label: "Map" },
            { value: "table", label: "Table" },
          ]}
        />
      </div>
      {shown !== hosts && shown.length > 0 && <BulkActions hosts={shown} />}
      <Legend hosts={hosts} chosen={filter.state} onChoose={(state) => set({ state })} />
      <p className="hidden" role="status">
        {formatNumber(shown.length)} of {counted(hosts.length, "host")}
        {isComplete ? "" : ", loading more"}
      </p>
      {shown.length === 0 && (
        <EmptyState icon="search" title="No matching hosts">
          Change or clear the filters.
        </EmptyState>
      )}
      {shown.length > 0 && view === "map" && (
        <FleetMap
          hosts={shown}
          // What leaves all hosts draws nothing anew.
          order={shown === hosts ? "" : JSON.stringify(applied)}
          regions={regions.data?.data ?? []}
          chosen={chosen}
          onChoose={choose}
        />
      )}
      {shown.length > 0 && view === "table" && <HostTable hosts={shown} onChoose={choose} />}
      <HostDrawer host={hosts.find(({ name }) => name === chosen)} onClose={() => choose(null)} />
    </>
  );
}
