// Cordons, uncordons or drains many hosts, with one reason for all of them.

import { TextInput } from "@mantine/core";
import { useState } from "react";
import { type HostDecision, hostActions, hostTraits } from "../../../../src/rules/host-lifecycle.ts";
import { useChange } from "../../api/queries.ts";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { counted } from "../../shared/format-number.ts";
import { hostActionTitles } from "./host-labels.ts";
import { oneByOne } from "./one-by-one.ts";
import { hostSubjects } from "./use-fleet.ts";

interface BulkDecisionProps {
  readonly action: HostDecision;
  readonly names: readonly string[];
  readonly onClose: () => void;
}

export function BulkDecision({ action, names, onClose }: BulkDecisionProps) {
  const [reason, setReason] = useState("");
  const [done, setDone] = useState(0);
  const change = useChange((client, given: string) => {
    const ask = (name: string) => {
      const request = { params: { path: { name } }, ...(given === "" ? {} : { body: { reason: given } }) };
      return {
        cordon: () => client.POST("/hosts/{name}/cordon", request),
        uncordon: () => client.POST("/hosts/{name}/uncordon", request),
        drain: () => client.POST("/hosts/{name}/drain", request),
      }[action]();
    };
    return oneByOne(names, ask, setDone);
  }, hostSubjects);
  const title = hostActionTitles[action];
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`${title} ${counted(names.length, "host")}?`}
      action={title}
      onConfirm={() => change.mutate(reason.trim(), { onSuccess: onClose })}
      pending={change.isPending}
      error={change.error}
    >
      <p>
        {names.slice(0, 5).join(", ")}
        {names.length > 5 && ` and ${names.length - 5} more`}. {hostTraits[hostActions[action].up].meaning}
      </p>
      <TextInput
        label="Reason"
        description="For other operators. It may be empty."
        value={reason}
        maxLength={300}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {done > 0 && (
        <p role="status">
          {done} of {counted(names.length, "host")} changed.
        </p>
      )}
    </ConfirmTyped>
  );
}
