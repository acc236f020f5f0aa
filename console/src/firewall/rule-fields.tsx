// The inputs of a firewall rule, one of the rules of a form.

import { Select, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import classes from "./firewall.module.css";
import { protocolTitles, type RuleLine } from "./rules.ts";

interface RuleFieldsProps {
  readonly form: UseFormReturnType<{ readonly rules: RuleLine[] }>;
  readonly index: number;
  /** The accessible name in a list: "rule 2". */
  readonly of?: string;
}

const protocols = Object.entries(protocolTitles).map(([value, label]) => ({ value, label }));

export function RuleFields({ form, index, of }: RuleFieldsProps) {
  const isIcmp = form.values.rules[index]?.protocol === "icmp";
  const label = (text: string) => (of === undefined ? { label: text } : { "aria-label": `${text} of ${of}` });
  const input = (field: keyof RuleLine) => form.getInputProps(`rules.${index}.${field}`);
  return (
    <div className={classes.fields}>
      <Select {...label("Protocol")} data={protocols} {...input("protocol")} allowDeselect={false} />
      <TextInput
        {...label("Ports")}
        placeholder={isIcmp ? "None" : "22, 8000-8100 or all"}
        {...input("port_range")}
        {...(isIcmp ? { value: "", disabled: true } : {})}
        autoComplete="off"
      />
      <TextInput
        {...label("Source")}
        placeholder="203.0.113.0/24"
        {...input("source_network")}
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        {...label("Description")}
        placeholder={of === undefined ? "" : "Description"}
        {...input("description")}
        maxLength={128}
        autoComplete="off"
      />
    </div>
  );
}
