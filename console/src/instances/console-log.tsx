// What an instance wrote to its serial console. There is no event for it, so it is read again on demand.

import { Button, Skeleton } from "@mantine/core";
import { useRead } from "../api/queries.ts";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Icon } from "../shared/icon.tsx";
import classes from "./instance-page.module.css";

export function ConsoleLog({ id }: { readonly id: string }) {
  const read = useRead(["console-log", id], (client) =>
    client.GET("/instances/{id}/console-log", { params: { path: { id } } }),
  );
  const again = () => void read.refetch();
  if (read.data === undefined) {
    if (read.error !== null) return <ErrorState error={read.error} again={again} />;
    return <Skeleton height={360} aria-busy="true" />;
  }
  const { text } = read.data.data;
  return (
    <>
      <div className={classes.logTools}>
        <Button
          variant="default"
          size="xs"
          onClick={again}
          loading={read.isFetching}
          leftSection={<Icon name="restart" size={13} />}
        >
          Refresh
        </Button>
      </div>
      {text === "" ? (
        <EmptyState icon="terminal" title="The console is empty">
          The instance has no output since its last start, or its engine stores no log.
        </EmptyState>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className={classes.log} tabIndex={0}>
          {text}
        </pre>
      )}
    </>
  );
}
