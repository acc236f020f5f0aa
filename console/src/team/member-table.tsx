// The people of a team as a table. Used by the page of the team, and by the operators' page of an account.

import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Time } from "../shared/time.tsx";
import { roleTitle } from "./role-words.ts";
import classes from "./team.module.css";
import type { Member } from "./use-people.ts";

interface MemberTableProps {
  readonly label: string;
  readonly rows: readonly Member[] | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  /** Whose session it is. */
  readonly ownId?: string | undefined;
  /** Behind the others. */
  readonly more?: readonly Column<Member>[];
  readonly tools?: ReactNode;
  readonly empty: ReactNode;
  readonly rowActions?: (member: Member) => ReactNode;
}

export function MemberTable({ label, rows, error, onRetry, ownId, more = [], ...others }: MemberTableProps) {
  return (
    <DataTable
      label={label}
      columns={[...columnsFor(ownId), ...more]}
      rows={rows}
      rowKey={({ id }) => id}
      error={error}
      onRetry={onRetry}
      tools={others.tools}
      empty={
        <EmptyState icon="people" title="No people">
          {others.empty}
        </EmptyState>
      }
      rowActions={others.rowActions}
    />
  );
}

const columnsFor = (ownId: string | undefined): readonly Column<Member>[] => [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: ({ id, name, email }) => (
      <div>
        <span className={classes.name}>
          {name} {id === ownId && <Badge>You</Badge>}
        </span>
        <div className="soft">{email}</div>
      </div>
    ),
    sort: ({ name }) => name,
    text: ({ name, email, id }) => `${name} ${email} ${id}`,
  },
  {
    key: "role",
    header: "Role",
    whole: true,
    cell: ({ role }) => roleTitle(role),
    sort: ({ role }) => role,
    text: ({ role }) => roleTitle(role),
  },
  {
    key: "joined",
    header: "Joined",
    whole: true,
    cell: ({ joined_at: at }) => <Time at={at} />,
    sort: ({ joined_at: at }) => at,
  },
];
