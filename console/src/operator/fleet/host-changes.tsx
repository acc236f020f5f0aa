// Changes of a host other than its state. A host of the simulated engine is edited and deleted; any other was discovered,
// and has an override instead.

import { Button } from "@mantine/core";
import { useRef } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { DescriptionDialog } from "./description-dialog.tsx";
import { HostDialog } from "./host-dialog.tsx";
import classes from "./host-drawer.module.css";
import { OverrideDialog } from "./override-dialog.tsx";
import { hostSubjects, useDeclaringEngine, useEngines } from "./use-fleet.ts";

type Host = Shape<"Host">;

/** Which dialog is open over the drawer. */
export type HostQuestion = "edit" | "describe" | "remove" | null;

interface HostChangesProps {
  readonly host: Host;
  readonly question: HostQuestion;
  readonly ask: (question: HostQuestion) => void;
  readonly onRemoved: () => void;
}

export function HostChanges({ host, question, ask, onRemoved }: HostChangesProps) {
  const missing = useSession().lack("fleet", "operator");
  const isKnown = useEngines().data !== undefined;
  const declaring = useDeclaringEngine();
  const isDeclared = host.engine === declaring;
  const buttons = {
    edit: useRef<HTMLButtonElement>(null),
    describe: useRef<HTMLButtonElement>(null),
    remove: useRef<HTMLButtonElement>(null),
  };
  const close = () => {
    // Focus returns to the button; a removed dialog would lose it.
    if (question !== null) buttons[question].current?.focus();
    ask(null);
  };
  return (
    <section className={classes.cordon} aria-label="Changes">
      <div className={classes.line}>
        <Permitted to="change hosts" missing={missing}>
          <Button ref={buttons.edit} variant="default" disabled={!isKnown} onClick={() => ask("edit")}>
            Edit
          </Button>
          <Button ref={buttons.describe} variant="default" onClick={() => ask("describe")}>
            Note and labels
          </Button>
          <Button ref={buttons.remove} variant="subtle" color="red" disabled={!isKnown} onClick={() => ask("remove")}>
            {isOverridden(host, isDeclared) ? "Remove override" : "Delete"}
          </Button>
        </Permitted>
      </div>
      {question === "edit" && isDeclared && (
        <HostDialog host={host} engine={host.engine} onClose={close} onSaved={close} />
      )}
      {question === "edit" && !isDeclared && <OverrideDialog host={host} onClose={close} />}
      {question === "describe" && <DescriptionDialog host={host} onClose={close} />}
      {question === "remove" && <Removal host={host} isDeclared={isDeclared} onClose={close} onRemoved={onRemoved} />}
    </section>
  );
}

interface RemovalProps {
  readonly host: Host;
  readonly isDeclared: boolean;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function Removal({ host, isDeclared, onClose, onRemoved }: RemovalProps) {
  const { name, engine } = host;
  const isEnd = isOverridden(host, isDeclared);
  const removal = useChange(async (client) => {
    const answer = await client.DELETE("/hosts/{name}", { params: { path: { name } } });
    // Here, and not after hosts are refetched: a deleted host unmounts this dialog.
    if (answer.error === undefined) (isEnd ? onClose : onRemoved)();
    return answer;
  }, hostSubjects);
  const confirm = () => removal.mutate(undefined);
  const shared = { opened: true, onClose, onConfirm: confirm, pending: removal.isPending, error: removal.error };
  if (isEnd) {
    return (
      <ConfirmTyped {...shared} title={`Remove the override of ${name}?`} action="Remove override">
        <p>The host stays, with the sizes that the engine “{engine}” reports. A cordon is not changed.</p>
      </ConfirmTyped>
    );
  }
  return (
    <ConfirmTyped {...shared} title={`Delete ${name}?`} word={name} action="Delete">
      <p>
        {isDeclared
          ? "The host and its GPUs are deleted immediately, also from the simulated engine."
          : `The host and its GPUs are removed. If the engine “${engine}” still has the host, it reappears with the next sync: remove it from the engine first.`}
      </p>
      <p>A host with instances can't be deleted: cordon it and wait until they have ended.</p>
    </ConfirmTyped>
  );
}

/** A DELETE of such a host only removes the override. */
const isOverridden = (host: Host, isDeclared: boolean): boolean => host.overridden !== null && !isDeclared;
