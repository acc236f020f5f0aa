// What an operator does with one GPU of a host: quarantine it, retest it, validate it, release it. A release takes two steps, and
// confirms exactly what was shown.

import { Menu, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { afterGpuTransition, type GpuAction, gpuActions, gpuStates } from "../../../../src/rules/gpu-lifecycle.ts";
import { useChange } from "../../api/queries.ts";
import { useSession } from "../../api/session-context.tsx";
import { rejection } from "../../instances/act.ts";
import { ConfirmTyped } from "../../shared/confirm-typed.tsx";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { RowMenu } from "../../shared/row-menu.tsx";
import { Evidence, quarantineWords } from "./quarantine-note.tsx";
import { hostSubjects } from "./use-fleet.ts";

type Gpu = Shape<"Gpu">;

interface GpuProps {
  readonly host: string;
  readonly gpu: Gpu;
}

interface GpuMenuProps extends GpuProps {
  /** It is quarantined when its instance has ended. */
  readonly isToQuarantine: boolean;
}

const titles: Readonly<Record<GpuAction, string>> = {
  quarantine: "Quarantine",
  retest: "Retest",
  validate: "Validate",
  release: "Release",
};

export function GpuMenu({ host, gpu, isToQuarantine }: GpuMenuProps) {
  const { may } = useSession();
  const [isQuarantining, setQuarantining] = useState(false);
  const path = { name: host, address: gpu.address };
  const retest = useChange(
    (client) => client.POST("/hosts/{name}/gpus/{address}/retest", { params: { path } }),
    hostSubjects,
  );
  const validate = useChange(
    (client) => client.POST("/hosts/{name}/gpus/{address}/validate", { params: { path } }),
    hostSubjects,
  );
  const look = useChange(
    (client) => client.POST("/hosts/{name}/gpus/{address}/release", { params: { path }, body: {} }),
    [],
  );
  const state = gpuStates.find((known) => known === gpu.state);
  const possible = gpuActions.filter(
    (action) =>
      state !== undefined &&
      afterGpuTransition(state, action) !== undefined &&
      (action !== "release" || gpu.held_by === null || isToQuarantine),
  );
  const start: Readonly<Record<GpuAction, () => void>> = {
    quarantine: () => setQuarantining(true),
    retest: () => retest.mutate(undefined, notDone("Not retested")),
    validate: () => validate.mutate(undefined, notDone("Not validated")),
    release: () => look.mutate(undefined, notDone("Not released")),
  };
  if (!may("fleet", "operator")) return null;
  return (
    <>
      <RowMenu label={`Actions for GPU ${gpu.address}`} width={160}>
        {possible.map((action) => (
          <Menu.Item key={action} onClick={start[action]}>
            {titles[action]}
          </Menu.Item>
        ))}
      </RowMenu>
      {isQuarantining && <QuarantineDialog host={host} gpu={gpu} onClose={() => setQuarantining(false)} />}
      {look.data !== undefined && <ReleaseDialog host={host} release={look.data.data} onClose={look.reset} />}
    </>
  );
}

/** A note would not fit into the row of the table. */
function notDone(title: string): { readonly onError: (error: Error) => void } {
  return {
    onError: (error) => notifications.show({ color: "red", title, message: rejection(error), autoClose: 10_000 }),
  };
}

function QuarantineDialog({ host, gpu, onClose }: GpuProps & { readonly onClose: () => void }) {
  const form = useForm({
    initialValues: { reason: "" },
    validate: { reason: (reason) => (reason.trim() === "" ? "Give a reason." : null) },
  });
  const change = useChange((client, { reason }: typeof form.values) => {
    const params = { path: { name: host, address: gpu.address } };
    return client.POST("/hosts/{name}/gpus/{address}/quarantine", { params, body: { reason: reason.trim() } });
  }, hostSubjects);
  return (
    <FormDialog
      title={`Quarantine GPU ${gpu.address}`}
      action="Quarantine"
      form={form}
      change={change}
      onClose={onClose}
      onSaved={onClose}
    >
      <p>
        {gpu.held_by === null
          ? "No instance gets it until you retest or release it."
          : "Its instance keeps it and is billed as before. When that has ended, no instance gets it until you retest or release it."}
      </p>
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

interface ReleaseDialogProps {
  readonly host: string;
  readonly release: Shape<"GpuRelease">;
  readonly onClose: () => void;
}

function ReleaseDialog({
  host,
  release: { gpu, confirmation, reset_before: isResetBefore },
  onClose,
}: ReleaseDialogProps) {
  const change = useChange((client) => {
    const params = { path: { name: host, address: gpu.address } };
    return client.POST("/hosts/{name}/gpus/{address}/release", { params, body: { confirmation } });
  }, hostSubjects);
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Release GPU ${gpu.address}?`}
      action="Release"
      onConfirm={() => change.mutate(undefined, { onSuccess: onClose })}
      pending={change.isPending}
      error={change.error}
    >
      <p>
        {gpu.held_by !== null
          ? "It is not quarantined when its instance has ended."
          : isResetBefore
            ? "It is reset first, because it was not since its last instance."
            : "The next instance gets it as it is."}
      </p>
      <p>Quarantined: {quarantineWords(gpu)}</p>
      {gpu.evidence !== null && <Evidence text={gpu.evidence} />}
    </ConfirmTyped>
  );
}
