// What operators decided about a host, why and since when; and the buttons that decide otherwise.

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { afterHostAction, type HostDecision, hostDecisions, hostTraits } from "../../../../src/rules/host-lifecycle.ts";
import { useChange } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ErrorNote } from "../../shared/error-state.tsx";
import { counted } from "../../shared/format-number.ts";
import { Time } from "../../shared/time.tsx";
import classes from "./host-drawer.module.css";
import { hostActionTitles } from "./host-labels.ts";
import { hostSubjects } from "./use-fleet.ts";

type Host = Shape<"Host">;

interface HostDecisionsProps {
  readonly host: Host;
  /** Opens the dialog that declares it lost. */
  readonly onLost: () => void;
}

export function HostDecisions({ host, onLost }: HostDecisionsProps) {
  const { name, mode, state, instances } = host;
  const { mayWrite, isOperator } = useSession();
  const [reason, setReason] = useState("");
  const change = useChange(async (client, action: HostDecision) => {
    const given = reason.trim();
    const request = { params: { path: { name } }, ...(given === "" ? {} : { body: { reason: given } }) };
    const answer = await {
      cordon: () => client.POST("/hosts/{name}/cordon", request),
      uncordon: () => client.POST("/hosts/{name}/uncordon", request),
      drain: () => client.POST("/hosts/{name}/drain", request),
    }[action]();
    if (answer.error === undefined) setReason("");
    return answer;
  }, hostSubjects);
  const possible = hostDecisions.filter((action) => (afterHostAction(mode, action) ?? mode) !== mode);
  return (
    <section className={classes.cordon} aria-label="State">
      <p>
        {hostTraits[state].meaning} Since <Time at={host.state_since} />
        {host.mode_set_by !== null && `, decided by ${host.mode_set_by}`}
        {host.state_reason !== null && `: ${host.state_reason}`}. {counted(instances, "instance")} left on it.
      </p>
      <TextInput
        className={classes.wide ?? ""}
        label="Reason"
        description="For other operators. It may be empty."
        value={reason}
        maxLength={300}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <div className={classes.line}>
        {possible.map((action) => (
          <Button
            key={action}
            variant="default"
            loading={change.isPending && change.variables === action}
            disabled={!isOperator && !mayWrite}
            onClick={() => change.mutate(action)}
          >
            {hostActionTitles[action]}
          </Button>
        ))}
        {host.unreachable_since !== null && afterHostAction(mode, "declare-lost") !== undefined && (
          <Button variant="subtle" color="red" onClick={onLost}>
            Declare lost
          </Button>
        )}
      </div>
      <ErrorNote error={change.error} />
    </section>
  );
}
