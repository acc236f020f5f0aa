// The instances of the account, newest first and live, with actions for one or for several.

import { Button, MultiSelect, SegmentedControl } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { isReady } from "../../../src/rules/lifecycle.ts";
import { useSession } from "../api/session-context.tsx";
import { DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { exactPrice } from "../shared/format-money.ts";
import { counted, formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { Page } from "../shared/page.tsx";
import { nameShown } from "../shared/readable-name.ts";
import { InstanceActions, OwnActionBar } from "./instance-actions.tsx";
import { hasEnded, isBilled, pricePerHour } from "./live-cost.ts";
import { MaintenanceNotes } from "./maintenance-notes.tsx";
import { ownColumns } from "./own-columns.tsx";
import { allTags, hasTags } from "./tag-lines.ts";
import { useInstances } from "./use-instances.ts";
import { WaitingLaunches } from "./waiting-launches.tsx";

type Instance = Shape<"Instance">;
type Shown = "current" | "ended";

export function InstancesPage() {
  const { may } = useSession();
  const [shown, setShown] = useState<Shown>("current");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // In the address, so that a tag anywhere can link to its instances.
  const [search, setSearch] = useSearchParams();
  const wantedTags = search.getAll("tag");
  const read = useInstances();
  const all = read.data?.data;
  const ofKind = useMemo(() => all?.filter((instance) => hasEnded(instance) === (shown === "ended")), [all, shown]);
  const rows = useMemo(() => {
    const wanted = search.getAll("tag");
    return wanted.length === 0 ? ofKind : ofKind?.filter((instance) => hasTags(instance, wanted));
  }, [ofKind, search]);
  const tagsOfAll = useMemo(() => allTags(all ?? []), [all]);
  const tags = [...new Set([...wantedTags, ...tagsOfAll])];
  const description = useMemo(() => (all === undefined ? "\u00a0" : summary(all)), [all]);
  const launch = may("rent") && (
    <Button component={Link} href="/launch" leftSection={<Icon name="plus" />}>
      Launch instance
    </Button>
  );
  return (
    <Page title="Instances" description={description} actions={launch}>
      <DataTable
        label="Instances"
        notice={
          <>
            <WaitingLaunches />
            <MaintenanceNotes instances={all ?? []} />
          </>
        }
        columns={ownColumns}
        rows={rows}
        isPartial={read.data?.isComplete === false}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "created", descending: true }}
        rowActions={may("rent") ? menuOf : undefined}
        selection={may("rent") && shown === "current" ? { chosen, onChange: setChosen, nameOf: nameShown } : undefined}
        tools={
          <>
            <SegmentedControl
              aria-label="Instance filter"
              value={shown}
              onChange={setShown}
              data={[
                { value: "current", label: "Current" },
                { value: "ended", label: "Ended" },
              ]}
            />
            {/* Also without tags, so that nothing moves when the instances are loaded. */}
            <MultiSelect
              aria-label="Tags"
              placeholder={wantedTags.length === 0 ? "Any tag" : ""}
              data={tags}
              value={wantedTags}
              onChange={(texts) =>
                setSearch(
                  texts.map((text) => ["tag", text]),
                  { replace: true },
                )
              }
              searchable
              clearable
              disabled={tags.length === 0}
              w={220}
            />
          </>
        }
        empty={<Nothing isFiltered={ofKind?.length !== 0} shown={shown} launch={launch} />}
      />
      <OwnActionBar
        // Without those that have ended meanwhile or lack the tag.
        chosen={shown === "current" ? (rows?.filter(({ id }) => chosen.has(id)) ?? []) : []}
        onClear={() => setChosen(new Set())}
      />
    </Page>
  );
}

const menuOf = (instance: Instance) => <InstanceActions instance={instance} as="menu" />;

interface NothingProps {
  readonly isFiltered: boolean;
  readonly shown: Shown;
  readonly launch: React.ReactNode;
}

function Nothing({ isFiltered, shown, launch }: NothingProps) {
  if (isFiltered) {
    return (
      <EmptyState icon="tag" title="No instances with these tags">
        Change or clear the filter.
      </EmptyState>
    );
  }
  return shown === "current" ? (
    <EmptyState icon="instance" title="No instances">
      Instances appear here when you launch one, with their address and cost.
      {launch}
    </EmptyState>
  ) : (
    <EmptyState icon="instance" title="No ended instances">
      Terminated instances stay here for a while. Their cost stays on the usage page.
    </EmptyState>
  );
}

/** "3 instances, 2 active. $7.20 per hour now." */
function summary(instances: readonly Instance[]): string {
  const live = instances.filter((instance) => !hasEnded(instance));
  if (live.length === 0) return "No current instances.";
  const active = live.filter(({ status }) => isReady[status]).length;
  const price = live.filter(isBilled).reduce((sum, instance) => sum + pricePerHour(instance), 0n);
  return `${counted(live.length, "instance")}, ${formatNumber(active)} active. ${exactPrice(price)} per hour now.`;
}
