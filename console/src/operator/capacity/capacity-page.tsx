// The capacity for each instance type in each region. A cell opens the explanation.

import { Drawer, Skeleton } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { useRead } from "../../api/queries.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { counted } from "../../shared/format-number.ts";
import { TypeName, typeTitle } from "../../shared/names.tsx";
import { Page } from "../../shared/page.tsx";
import { ReturningNote } from "../../shared/returning.tsx";
import classes from "./capacity-page.module.css";
import { Explanation } from "./explanation.tsx";
import { verdictOf } from "./verdict.ts";

/** While GPUs are being reset or validated: that they are back has no event. Each read scans the hosts. */
const againMilliseconds = 60_000;

type TypeCapacity = Shape<"HostCapacity">;

interface Chosen {
  readonly type: string;
  readonly region: string;
}

export function CapacityPage() {
  const read = useRead(["capacity"], (client) => client.GET("/capacity"), {
    again: (known) =>
      known?.data.some(({ regions }) => regions.some(({ returning }) => returning.length > 0)) === true
        ? againMilliseconds
        : false,
  });
  const types = useRead(["instance-types"], (client) => client.GET("/instance-types")).data?.data;
  const titleOf = (name: string) => typeTitle(types?.find((type) => type.name === name) ?? { name, description: "" });
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const rows = read.data?.data;
  const regions = rows?.[0]?.regions.map(({ region }) => region) ?? [];
  const explained = rows
    ?.find(({ instance_type }) => instance_type === chosen?.type)
    ?.regions.find(({ region }) => region === chosen?.region);
  return (
    <Page
      title="Capacity"
      description="The number of hosts with capacity for another instance of each type, or the reason why there is none."
    >
      {rows === undefined && read.error === null && <Skeleton height={420} />}
      {(rows !== undefined || read.error !== null) && (
        <DataTable
          label="Capacity"
          columns={columns(regions, titleOf, setChosen)}
          rows={rows}
          rowKey={({ instance_type }) => instance_type}
          error={read.error}
          onRetry={() => void read.refetch()}
          empty={
            <EmptyState icon="capacity" title="No instance types">
              Add instance types to the catalog to see the capacity for them.
            </EmptyState>
          }
        />
      )}
      <Drawer
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        position="right"
        size={460}
        title={chosen === null ? "" : `${titleOf(chosen.type)} in ${chosen.region}`}
        closeButtonProps={{ "aria-label": "Close" }}
        transitionProps={{ duration: 120 }}
      >
        {explained !== undefined && <Explanation capacity={explained} />}
      </Drawer>
    </Page>
  );
}

function columns(
  regions: readonly string[],
  titleOf: (type: string) => string,
  choose: (chosen: Chosen) => void,
): readonly Column<TypeCapacity>[] {
  const verdictIn = (row: TypeCapacity, region: string) => {
    const found = row.regions.find((one) => one.region === region);
    return found === undefined
      ? { hosts: 0, reason: "", returning: [] }
      : { ...verdictOf(found), returning: found.returning };
  };
  return [
    {
      key: "type",
      header: "Instance type",
      primary: true,
      cell: ({ instance_type: name }) => <TypeName type={{ name, description: titleOf(name) }} />,
      sort: ({ instance_type }) => instance_type,
      text: ({ instance_type }) => `${instance_type} ${titleOf(instance_type)}`,
    },
    ...regions.map(
      (region): Column<TypeCapacity> => ({
        key: region,
        header: region,
        cell: (row) => {
          const { hosts, reason, returning } = verdictIn(row, region);
          return (
            <>
              <button
                type="button"
                className={classes.verdict}
                data-fits={hosts > 0}
                onClick={() => choose({ type: row.instance_type, region })}
                aria-label={`${row.instance_type} in ${region}: ${hosts > 0 ? counted(hosts, "host") : reason}. Explain.`}
              >
                {hosts > 0 ? counted(hosts, "host") : reason}
              </button>
              {hosts === 0 && <ReturningNote returning={returning} className={classes.back ?? ""} />}
            </>
          );
        },
        sort: (row) => verdictIn(row, region).hosts,
        text: (row) => verdictIn(row, region).reason,
      }),
    ),
  ];
}
