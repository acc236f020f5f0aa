// The form for a new firewall rule of the account.

import { useState } from "react";
import { fieldError } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { RuleFields } from "./rule-fields.tsx";
import { isWrongLine, newLine, ruleOf } from "./rules.ts";
import { useAddRule } from "./use-rules.ts";

interface RuleDialogProps {
  /** How many there are, so that the service's answer is told at this one. */
  readonly count: number;
  readonly onClose: () => void;
}

export function RuleDialog({ count, onClose }: RuleDialogProps) {
  const [line, setLine] = useState(() => newLine(0));
  const add = useAddRule();
  return (
    <FormDialog
      title="Add firewall rule"
      action="Add rule"
      onClose={onClose}
      onSubmit={() => add.mutate(ruleOf(line), { onSuccess: onClose })}
      disabled={isWrongLine(line)}
      pending={add.isPending}
      error={add.error}
    >
      <RuleFields
        line={line}
        onChange={(part) => setLine({ ...line, ...part })}
        rejected={(field) => fieldError(add.error, `rules.${count}.${field}`)}
      />
    </FormDialog>
  );
}
