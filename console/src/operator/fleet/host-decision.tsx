// What operators decided about a host, why and since when; and the buttons that decide otherwise.

import { Button, Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import {
  afterHostAction,
  drainingMode,
  type HostDecision,
  hostDecisions,
  hostTraits,
  lostMode,
} from "../../../../src/rules/host-lifecycle.ts";
import { type DrainMode, drainModeMeanings } from "../../../../src/rules/moves.ts";
import { useChange } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
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
  const isDenied = !useSession().may("fleet", "operator");
  const [reason, setReason] = useState("");
  const [moves, setMoves] = useState(host.drain_mode === "move");
  const change = useChange(async (client, action: HostDecision) => {
    const given = reason.trim();
    const request = { params: { path: { name } }, ...(given === "" ? {} : { body: { reason: given } }) };
    const answer = await {
      cordon: () => client.POST("/hosts/{name}/cordon", request),
      uncordon: () => client.POST("/hosts/{name}/uncordon", request),
      drain: () => {
        const drain: DrainMode = moves ? "move" : "wait";
        return client.POST("/hosts/{name}/drain", { ...request, body: { ...request.body, mode: drain } });
      },
    }[action]();
    if (answer.error === undefined) setReason("");
    return answer;
  }, hostSubjects);
  const [isFencing, setFencing] = useState(false);
  const fence = useChange(async (client) => {
    const given = reason.trim();
    const request = { params: { path: { name } }, ...(given === "" ? {} : { body: { reason: given } }) };
    return client.POST("/hosts/{name}/fence", request);
  }, hostSubjects);
  const possible = hostDecisions.filter((action) => {
    const after = afterHostAction(mode, action) ?? mode;
    return after !== mode || (action === "drain" && mode === drainingMode && moves !== (host.drain_mode === "move"));
  });
  return (
    <section className={classes.cordon} aria-label="State">
      <p>
        {hostTraits[state].meaning} Since <Time at={host.state_since} />
        {mode === state && host.mode_set_by !== null && `, decided by ${host.mode_set_by}`}
        {host.state_reason !== null && `: ${host.state_reason}`}. {counted(instances, "instance")}{" "}
        {host.drain_mode === null ? "on it." : "left on it."}
        {host.drain_mode !== null && ` While it drains, ${drainModeMeanings[host.drain_mode]}.`}
      </p>
      {host.verified_off_since !== null && (
        <p>
          Verified off since <Time at={host.verified_off_since} />.
        </p>
      )}
      <TextInput
        className={classes.wide ?? ""}
        label="Reason"
        description="For other operators. It may be empty."
        value={reason}
        maxLength={300}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Checkbox
        label="When draining, move stopped instances"
        description="To other hosts of the region, as capacity allows."
        checked={moves}
        onChange={(event) => setMoves(event.currentTarget.checked)}
      />
      <div className={classes.line}>
        {possible.map((action) => (
          <Button
            key={action}
            variant="default"
            loading={change.isPending && change.variables === action}
            disabled={isDenied}
            onClick={() => change.mutate(action)}
          >
            {hostActionTitles[action]}
          </Button>
        ))}
        {host.unreachable_since !== null && (
          <Button variant="default" disabled={isDenied} onClick={() => setFencing(true)}>
            Fence
          </Button>
        )}
        {mode !== lostMode && !isDenied && (
          <Button variant="default" component={Link} href={`/operator/maintenance?host=${encodeURIComponent(name)}`}>
            Schedule maintenance
          </Button>
        )}
        {host.unreachable_since !== null && afterHostAction(mode, "declare-lost") !== undefined && (
          <Button variant="subtle" color="red" disabled={isDenied} onClick={onLost}>
            Declare lost
          </Button>
        )}
      </div>
      <ErrorNote error={change.error} />
      <ConfirmTyped
        opened={isFencing}
        onClose={() => setFencing(false)}
        title={`Fence ${name}?`}
        action="Fence"
        onConfirm={() => fence.mutate(undefined, { onSuccess: () => setFencing(false) })}
        pending={fence.isPending}
        error={fence.error}
      >
        <p>
          The command that is set for it turns it off. What its engine can't reach, but still runs, stops without a
          shutdown. Bills don't change.
        </p>
      </ConfirmTyped>
    </section>
  );
}
