// Where the user is signed in, and ending those sessions.

import { Badge, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Shape } from "../../../src/client/client.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";

type Session = Shape<"Session">;

export function SessionsPage() {
  const { leave, may } = useSession();
  const read = useRead(["sessions"], (client) => client.GET("/sessions"));
  const end = useChange<Session, unknown>(
    (client, { id }) => client.DELETE("/sessions/{id}", { params: { path: { id } } }),
    ["sessions"],
  );
  const endOthers = useChange<undefined, unknown>((client) => client.DELETE("/sessions"), ["sessions"]);
  const failed = (error: Error) =>
    notifications.show({ color: "red", title: "Session not ended", message: error.message });
  const rows = read.data?.data;
  return (
    <Page
      title="Sessions"
      description="Where you are signed in to the console. A session ends after 12 hours, or 2 hours without use."
      actions={
        may("see") &&
        (rows ?? []).some(({ current }) => !current) && (
          <Button
            variant="default"
            loading={endOthers.isPending}
            onClick={() => endOthers.mutate(undefined, { onError: failed })}
          >
            End all other sessions
          </Button>
        )
      }
    >
      <DataTable
        label="Sessions"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        empty={<EmptyState icon="token" title="No sessions" />}
        rowActions={
          may("see")
            ? (session) => (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => (session.current ? leave().catch(failed) : end.mutate(session, { onError: failed }))}
                >
                  {session.current ? "Sign out" : "End"}
                  {!session.current && <span className="hidden"> the session from {session.address}</span>}
                </Button>
              )
            : undefined
        }
      />
    </Page>
  );
}

const columns: readonly Column<Session>[] = [
  {
    key: "browser",
    header: "Browser",
    primary: true,
    cell: ({ user_agent: agent, current }) => (
      <>
        {browserOf(agent)} {current && <Badge>This session</Badge>}
      </>
    ),
    text: ({ user_agent: agent }) => browserOf(agent),
  },
  { key: "address", header: "Address", cell: ({ address }) => address ?? "", text: ({ address }) => address ?? "" },
  {
    key: "created",
    header: "Signed in",
    cell: ({ created_at: at }) => <Time at={at} />,
    sort: ({ created_at: at }) => at,
  },
  {
    key: "used",
    header: "Last used",
    cell: ({ last_used_at: at }) => <Time at={at} />,
    sort: ({ last_used_at: at }) => at,
  },
  {
    key: "expires",
    header: "Expires",
    cell: ({ expires_at: at }) => <Time at={at} />,
    sort: ({ expires_at: at }) => at,
  },
];

/** The browser and system that a User-Agent names, such as Firefox on Linux. */
export function browserOf(agent: string | null): string {
  const named = (names: Readonly<Record<string, RegExp>>) =>
    Object.entries(names).find(([, pattern]) => pattern.test(agent ?? ""))?.[0];
  const browser = named({ Edge: /Edg\//, Firefox: /Firefox\//, Chrome: /Chrome\//, Safari: /Safari\// });
  const system = named({ Windows: /Windows/, Android: /Android/, iOS: /iPhone|iPad/, macOS: /Mac OS/, Linux: /Linux/ });
  if (browser === undefined) return "Unknown browser";
  return system === undefined ? browser : `${browser} on ${system}`;
}
