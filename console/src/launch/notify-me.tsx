// The button that asks to be told when an instance type has capacity again, without launching it, and the one that ends
// that. Used by the summary of the launch page.

import { Button, Group } from "@mantine/core";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ErrorNote } from "../shared/error-state.tsx";

interface NotifyMeProps {
  /** Of the instance type. */
  readonly name: string;
  /** "any": every one. */
  readonly region: string;
  /** Whether not even one instance fits there. */
  readonly isFull: boolean;
}

const subjects = ["capacity-notices"];

/** Nothing while there is capacity, unless the account is told of it. */
export function NotifyMe({ name, region, isFull }: NotifyMeProps) {
  const { may } = useSession();
  const read = useRead(subjects, (client) => client.GET("/capacity-notices"));
  const create = useChange(
    (client) =>
      client.POST("/capacity-notices", { body: { instance_type: name, ...(region === "any" ? {} : { region }) } }),
    subjects,
  );
  const remove = useChange(
    (client, id: string) => client.DELETE("/capacity-notices/{id}", { params: { path: { id } } }),
    subjects,
  );
  const notice = read.data?.data.find(
    (one) => one.instance_type === name && one.region === (region === "any" ? null : region),
  );
  if (read.data === undefined || !may("rent") || (notice === undefined && !isFull)) return null;
  return (
    <div>
      {notice === undefined ? (
        <Button variant="default" fullWidth loading={create.isPending} onClick={() => create.mutate(undefined)}>
          Notify me
        </Button>
      ) : (
        <Group justify="space-between" wrap="nowrap" role="status">
          <span className="soft">Notifying you of capacity {region === "any" ? "in any region" : `in ${region}`}</span>
          <Button
            variant="default"
            size="xs"
            flex="none"
            aria-label={`Stop notifying me of ${name}`}
            loading={remove.isPending}
            onClick={() => remove.mutate(notice.id)}
          >
            Stop
          </Button>
        </Group>
      )}
      <ErrorNote error={create.error ?? remove.error} />
    </div>
  );
}
