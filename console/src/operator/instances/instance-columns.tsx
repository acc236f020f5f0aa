// The columns of operators' lists of instances.

import { Link } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { StateCell } from "../../instances/instance-state.tsx";
import { SpotBadge } from "../../instances/spot.tsx";
import { stateWords } from "../../instances/state-labels.ts";
import type { Column } from "../../shared/data-table.tsx";
import { Money } from "../../shared/money.tsx";
import { regionTitle, TypeCell, typeTitle } from "../../shared/names.tsx";
import { nameShown } from "../../shared/readable-name.ts";
import { Time } from "../../shared/time.tsx";
import { AccountName } from "../account-name.tsx";
import classes from "../words.module.css";

export type Instance = Shape<"Instance">;

/** `nameOf`: the name of an account. */
export function instanceColumns(nameOf: (accountId: string) => string): readonly Column<Instance>[] {
  return [
    nameColumn,
    accountColumn(nameOf),
    stateColumn,
    {
      key: "type",
      header: "Type",
      cell: ({ instance_type, region, spot }) => (
        <TypeCell type={instance_type} region={region} badge={<SpotBadge isSpot={spot} />} />
      ),
      sort: ({ instance_type }) => typeTitle(instance_type),
      text: ({ instance_type, region, spot }) =>
        `${instance_type.name} ${typeTitle(instance_type)} ${regionTitle(region)}${spot ? " spot" : ""}`,
    },
    hostColumn,
    {
      key: "cost",
      header: "Cost",
      align: "right",
      cell: ({ cost_cents }) => <Money cents={cost_cents} />,
      sort: ({ cost_cents }) => Number(cost_cents),
    },
    {
      key: "created",
      header: "Launched",
      align: "right",
      cell: ({ created_at }) => <Time at={created_at} />,
      sort: ({ created_at }) => Date.parse(created_at),
    },
  ];
}

export const nameColumn: Column<Instance> = {
  key: "name",
  header: "Name",
  primary: true,
  cell: (instance) => (
    <Link href={`/operator/instances/${instance.id}`} className={classes.whole ?? ""}>
      {nameShown(instance)}
    </Link>
  ),
  sort: ({ name }) => name,
  text: ({ id, name, hostname, ip }) => `${name} ${hostname} ${id} ${ip ?? ""}`,
};

export const accountColumn = (nameOf: (accountId: string) => string): Column<Instance> => ({
  key: "account",
  header: "Account",
  cell: ({ account_id }) => <AccountName id={account_id} />,
  sort: ({ account_id }) => nameOf(account_id),
  text: ({ account_id }) => nameOf(account_id),
});

const stateColumn: Column<Instance> = {
  key: "state",
  header: "State",
  cell: (instance) => <StateCell instance={instance} />,
  sort: ({ status }) => status,
  text: ({ status, health }) => `${stateWords[status].title} ${health}`,
};

export const hostColumn: Column<Instance> = {
  key: "host",
  header: "Host",
  cell: ({ host = "" }) => (
    <div className={classes.host}>
      <Link href={`/operator/fleet?host=${encodeURIComponent(host)}`}>{host}</Link>
    </div>
  ),
  sort: ({ host = "" }) => host,
  text: ({ host = "", engine = "" }) => `${host} ${engine}`,
};
