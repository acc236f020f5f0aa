// The form for a new firewall rule of the account.

import { useForm } from "@mantine/form";
import { FormDialog } from "../shared/form-dialog.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { lineOf, newLine, type Rule, ruleErrors } from "./rules.ts";
import { useAddRule } from "./use-rules.ts";

interface RuleDialogProps {
  /** Those of the account, which precede the new one in the paths of errors. */
  readonly rules: readonly Rule[];
  readonly onClose: () => void;
}

export function RuleDialog({ rules, onClose }: RuleDialogProps) {
  const form = useForm({
    initialValues: { rules: [...rules.map(lineOf), newLine(rules.length)] },
    validate: ({ rules: lines }) => ruleErrors(lines),
  });
  return (
    <FormDialog title="Add firewall rule" action="Add rule" form={form} change={useAddRule()} onClose={onClose}>
      <RuleFields form={form} index={form.values.rules.length - 1} />
    </FormDialog>
  );
}
