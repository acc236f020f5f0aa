// The columns of the list of an account's own instances.

import { Link } from "wouter";
import type { InstanceInList } from "../api/long-lists.ts";
import { Copyable } from "../shared/copyable.tsx";
import type { Column } from "../shared/data-table.tsx";
import { exactPrice } from "../shared/format-money.ts";
import { regionTitle, TypeCell, typeTitle } from "../shared/names.tsx";
import { nameShown } from "../shared/readable-name.ts";
import { Time } from "../shared/time.tsx";
import { Cost } from "./cost.tsx";
import { StateCell } from "./instance-state.tsx";
import { pricePerHour } from "./live-cost.ts";
import { SpotBadge } from "./spot.tsx";
import { sshLine } from "./ssh-line.ts";
import { stateWords } from "./state-labels.ts";
import { tagText } from "./tag-lines.ts";
import { TagList } from "./tag-list.tsx";

export const ownColumns: readonly Column<InstanceInList>[] = [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: (instance) => (
      <>
        <Link href={`/instances/${instance.id}`}>{nameShown(instance)}</Link>
        {instance.tags.length > 0 && <TagList tags={instance.tags} />}
      </>
    ),
    sort: ({ name }) => name,
    text: ({ name, id, hostname, tags }) => `${name} ${hostname} ${id} ${tags.map(tagText).join(" ")}`,
  },
  {
    key: "state",
    header: "State",
    cell: (instance) => <StateCell instance={instance} />,
    sort: ({ status }) => stateWords[status].title,
    text: ({ status }) => stateWords[status].title,
  },
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
  {
    key: "address",
    header: "Address",
    whole: true,
    cell: (instance) => {
      const { ip } = instance;
      if (ip === null) return <span className="soft">–</span>;
      const line = sshLine(instance);
      return (
        <Copyable
          value={line ?? ip}
          shown={ip}
          label={`${line === undefined ? "address" : "ssh line"} of ${nameShown(instance)}`}
        />
      );
    },
    text: ({ ip }) => ip ?? "",
  },
  {
    key: "price",
    header: "Per hour",
    align: "right",
    cell: (instance) => exactPrice(pricePerHour(instance)),
    sort: (instance) => Number(pricePerHour(instance)),
  },
  {
    key: "cost",
    header: "Cost so far",
    align: "right",
    cell: (instance) => <Cost instance={instance} readAt={instance.readAt} />,
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
