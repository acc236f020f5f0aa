// Declares a host lost, in two steps: the reason, and then the confirmation of what would end, by typing the name of the
// host. Invariant: what is confirmed is what is shown.

import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { LessorError } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { counted } from "../../shared/format-number.ts";
import { Time } from "../../shared/time.tsx";
import classes from "./host-drawer.module.css";
import { hostSubjects } from "./use-fleet.ts";

type Loss = Shape<"HostLoss">;

interface LostDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function LostDialog({ name, onClose }: LostDialogProps) {
  const [loss, setLoss] = useState<Loss>();
  /** What was shown ended otherwise meanwhile: what is shown now was not confirmed yet. */
  const [hasChanged, setChanged] = useState(false);
  const form = useForm({
    initialValues: { reason: "" },
    validate: { reason: (reason) => (reason.trim() === "" ? "Give a reason." : null) },
  });
  const params = { path: { name } };
  const look = useChange(
    (client, { reason }: typeof form.values) =>
      client.POST("/hosts/{name}/declare-lost", { params, body: { reason: reason.trim() } }),
    [],
  );
  const declaration = useChange(
    (client, confirmation: string) =>
      client.POST("/hosts/{name}/declare-lost", {
        params,
        body: { reason: form.values.reason.trim(), confirmation },
      }),
    [...hostSubjects, "instances", "file-systems"],
  );
  if (loss === undefined) {
    return (
      <FormDialog
        title={`Declare ${name} lost`}
        action="Continue"
        form={form}
        change={look}
        onClose={onClose}
        onSaved={({ data }) => setLoss(data)}
      >
        <p>For a host that will not return as it was. Next, you see what would end. Nothing is changed yet.</p>
        <TextInput
          label="Reason"
          description="For other operators."
          maxLength={300}
          data-autofocus
          {...form.getInputProps("reason")}
        />
      </FormDialog>
    );
  }
  const confirm = () =>
    declaration.mutate(loss.confirmation, {
      onSuccess: onClose,
      onError: (error) => {
        if (!(error instanceof LessorError) || error.status !== 409) return;
        look.mutate(form.values, {
          onSuccess: ({ data }) => {
            setLoss(data);
            setChanged(true);
          },
        });
      },
    });
  // Of a conflict, what the service says now counts: what would end, or why nothing would.
  const isShownAnew = hasChanged && declaration.error instanceof LessorError && declaration.error.status === 409;
  return (
    <ConfirmTyped
      // What is confirmed is typed for what is shown.
      key={loss.confirmation}
      opened
      onClose={onClose}
      title={`Declare ${name} lost?`}
      word={name}
      action="Declare lost"
      onConfirm={confirm}
      pending={declaration.isPending || look.isPending}
      error={look.error ?? (isShownAnew ? null : declaration.error)}
    >
      {isShownAnew && <p role="status">What would end has changed meanwhile. Check it, and confirm it again.</p>}
      <Ends loss={loss} />
    </ConfirmTyped>
  );
}

function Ends({ loss }: { readonly loss: Loss }) {
  const { instances, file_systems: fileSystems } = loss;
  return (
    <>
      <p>
        {instances.length === 0 ? "No instances end." : `Ends: ${counted(instances.length, "instance")},`}
        {instances.length > 0 && (
          <>
            {" "}
            billed until the engine last reached the host, <Time at={loss.unreachable_since} />.
          </>
        )}
      </p>
      {instances.length > 0 && <Names all={instances} />}
      <p>
        {fileSystems.length === 0
          ? "No file systems are lost."
          : `Lost with all data: ${counted(fileSystems.length, "file system")} on its own storage.`}
      </p>
      {fileSystems.length > 0 && <Names all={fileSystems} />}
      <p>If the host returns, what it still runs is removed before it can be used again.</p>
    </>
  );
}

function Names({ all }: { readonly all: readonly { id: string; name: string; account: string }[] }) {
  return (
    <ul className={classes.names}>
      {all.map(({ id, name, account }) => (
        <li key={id}>
          {name} <span className="soft">of {account}</span>
        </li>
      ))}
    </ul>
  );
}
