// The fields of a firewall rule; what is wrong with each is told once something was typed.

import { Select, TextInput } from "@mantine/core";
import classes from "./firewall.module.css";
import { type Protocol, problemsOf, protocolTitles, type RuleLine } from "./rules.ts";

interface RuleFieldsProps {
  readonly line: RuleLine;
  readonly onChange: (part: Partial<RuleLine>) => void;
  /** What the service says of it, by field as the interface calls it. */
  readonly rejected?: (field: "port_range" | "source_network" | "description") => string | undefined;
  /** Of the rule in a list, for those who do not see it: "rule 2". */
  readonly of?: string;
}

const protocols = (Object.keys(protocolTitles) as Protocol[]).map((value) => ({ value, label: protocolTitles[value] }));

export function RuleFields({ line, onChange, rejected, of }: RuleFieldsProps) {
  const problems = problemsOf(line);
  const label = (text: string) => (of === undefined ? { label: text } : { "aria-label": `${text} of ${of}` });
  return (
    <div className={classes.fields}>
      <Select
        {...label("Protocol")}
        data={protocols}
        value={line.protocol}
        onChange={(value) => onChange({ protocol: protocols.find((one) => one.value === value)?.value ?? "tcp" })}
        allowDeselect={false}
      />
      <TextInput
        {...label("Ports")}
        placeholder={line.protocol === "icmp" ? "None" : "22, 8000-8100 or all"}
        value={line.protocol === "icmp" ? "" : line.ports}
        onChange={(event) => onChange({ ports: event.currentTarget.value })}
        disabled={line.protocol === "icmp"}
        error={(line.ports === "" ? undefined : problems.ports) ?? rejected?.("port_range")}
        autoComplete="off"
      />
      <TextInput
        {...label("Source")}
        placeholder="203.0.113.0/24"
        value={line.source}
        onChange={(event) => onChange({ source: event.currentTarget.value })}
        error={(line.source === "" ? undefined : problems.source) ?? rejected?.("source_network")}
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        {...label("Description")}
        placeholder={of === undefined ? "" : "Description"}
        value={line.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
        error={rejected?.("description")}
        maxLength={128}
        autoComplete="off"
      />
    </div>
  );
}
