// Chooses an idle rule: what happens, and after how many minutes. Used by the dialog of an instance and by the launch page.

import { NumberInput, Select } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import { idleActionNames, idleActions, idleMinutes } from "../../../src/rules/idle.ts";
import { type IdleChoice, idleTitles } from "./idle-choice.ts";

interface IdleRuleInputsProps {
  readonly value: IdleChoice;
  readonly onChange: (value: IdleChoice) => void;
  /** Below the minutes. */
  readonly note?: string;
  readonly error?: string | undefined;
}

export function IdleRuleInputs({ value, onChange, note, error }: IdleRuleInputsProps) {
  const { action, minutes } = value;
  return (
    <>
      <Select
        label="When its GPUs are not used"
        description={action === "none" ? "Nothing happens" : idleActions[action]}
        data={["none" as const, ...idleActionNames].map((one) => ({ value: one, label: idleTitles[one] }))}
        allowDeselect={false}
        value={action}
        onChange={(chosen) => onChange({ ...value, action: idleActionNames.find((one) => one === chosen) ?? "none" })}
        error={error}
        data-autofocus
      />
      {action !== "none" && (
        <NumberInput
          label="For so many minutes"
          description={note}
          min={idleMinutes.least}
          max={idleMinutes.most}
          clampBehavior="strict"
          allowDecimal={false}
          value={minutes}
          onChange={(typed) => onChange({ ...value, minutes: typed })}
        />
      )}
    </>
  );
}

/** "Stop after 60 minutes without use"; null: none. */
export function idleRuleWords(rule: Shape<"IdleRule"> | null): string | null {
  return rule === null ? null : `${idleTitles[rule.action]} after ${rule.minutes} minutes without use of its GPUs`;
}
