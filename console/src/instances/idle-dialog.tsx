// The form to choose what happens when the GPUs of an instance are not used.

import { useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { type IdleChoice, idleChoiceOf, idleProblem, idleRuleOf } from "./idle-choice.ts";
import { IdleRuleInputs } from "./idle-rule-inputs.tsx";

interface IdleDialogProps {
  readonly instance: Shape<"Instance">;
  readonly onClose: () => void;
}

export function IdleDialog({ instance, onClose }: IdleDialogProps) {
  const form = useForm<{ idle: IdleChoice }>({ initialValues: { idle: idleChoiceOf(instance.idle_rule) } });
  const change = useChange(
    (client, { idle }: typeof form.values) =>
      client.PATCH("/instances/{id}", {
        params: { path: { id: instance.id } },
        body: { idle_rule: idleRuleOf(idle) },
      }),
    ["instances", "events"],
  );
  return (
    <FormDialog
      title={`Idle rule of ${instance.name}`}
      action="Save"
      form={form}
      change={change}
      onClose={onClose}
      disabled={idleProblem(form.values.idle) !== undefined}
    >
      <IdleRuleInputs
        value={form.values.idle}
        onChange={(idle) => form.setValues({ idle })}
        note="The time counts anew when you save, and after a restart."
      />
    </FormDialog>
  );
}
