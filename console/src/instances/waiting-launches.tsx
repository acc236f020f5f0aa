// Launches that wait until they can be placed: what each waits for, and a button to cancel it. Shown above the instances.

import { Alert, Button } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import { waitingState } from "../../../src/rules/waiting-launches.ts";
import { useChange, useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ErrorNote } from "../shared/error-state.tsx";
import { Time } from "../shared/time.tsx";
import classes from "./maintenance-notes.module.css";

type Launch = Shape<"Launch">;

/** More would hide the instances. */
const mostShown = 2;

/** Nothing if there is none. */
export function WaitingLaunches() {
  const { account } = useSession();
  const query = { state: waitingState, account_id: account.id, limit: 100 } as const;
  const read = useRead(["launches"], (client) => client.GET("/launches", { params: { query } }));
  const waiting = read.data?.data ?? [];
  const [first, others] = [waiting.slice(0, mostShown), waiting.slice(mostShown)];
  if (waiting.length === 0) return null;
  return (
    <div className={classes.notes}>
      {first.map((launch) => (
        <Note key={launch.id} launch={launch} />
      ))}
      {others.length > 0 && (
        <details>
          <summary>{others.length === 1 ? "One more launch waits" : `${others.length} more launches wait`}</summary>
          {others.map((launch) => (
            <Note key={launch.id} launch={launch} />
          ))}
        </details>
      )}
    </div>
  );
}

function Note({ launch }: { readonly launch: Launch }) {
  const { may } = useSession();
  const { id, quantity, spot, instance_type: type, region, until, position, blocked_message: why } = launch;
  const { expected_at: expected } = launch;
  const cancel = useChange(
    (client) => client.POST("/launches/{id}/cancel", { params: { path: { id } } }),
    ["launches"],
  );
  const what = `${quantity > 1 ? `${quantity} × ` : ""}${type}${spot ? " (spot)" : ""}${region === null ? "" : ` in ${region}`}`;
  return (
    <Alert role="status" px="xs" py={6}>
      <div className={classes.line}>
        <p className={classes.text}>
          <strong>Waiting to launch {what}.</strong> {why}{" "}
          {position !== null && `It is number ${position} of those that wait. `}
          {expected !== null && (
            <>
              It is expected to be placed <Time at={expected} />.{" "}
            </>
          )}
          It expires <Time at={until} />.
        </p>
        {may("rent") && (
          <Button
            variant="default"
            size="xs"
            aria-label={`Cancel the launch of ${what}`}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(undefined)}
          >
            Cancel
          </Button>
        )}
      </div>
      <ErrorNote error={cancel.error} />
    </Alert>
  );
}
