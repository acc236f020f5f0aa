// What each role may do: the table of rights of the service (src/rules/roles.ts).

import { Badge } from "@mantine/core";
import { type Right, rights, type TeamRole, teamMay, teamRoles } from "../../../src/rules/roles.ts";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { rightsOfTeams, roleTitle } from "./role-words.ts";

interface Row {
  readonly right: Right;
}

const rows: readonly Row[] = rightsOfTeams.map((right) => ({ right }));

const columns: readonly Column<Row>[] = [
  { key: "right", header: "May", primary: true, cell: ({ right }) => rights[right].team },
  ...teamRoles.map(
    (role): Column<Row> => ({
      key: role,
      header: roleTitle(role),
      cell: ({ right }) => <Mark role={role} right={right} />,
      width: "90px",
    }),
  ),
];

function Mark({ role, right }: { readonly role: TeamRole; readonly right: Right }) {
  return teamMay(role, right) ? <Badge color="green">Yes</Badge> : <span className="soft">No</span>;
}

export function RoleTable() {
  return (
    <DataTable
      label="What each role may do"
      columns={columns}
      rows={rows}
      rowKey={({ right }) => right}
      filter={false}
      empty={null}
    />
  );
}
