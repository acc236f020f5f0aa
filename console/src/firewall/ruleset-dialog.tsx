// The form for a firewall ruleset, new or changed: its name, its region, and its rules.

import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/index.ts";
import { useChange } from "../api/queries.ts";
import { useOffers } from "../launch/use-offers.ts";
import { fieldError } from "../shared/error-state.tsx";
import { FormDialog } from "../shared/form-dialog.tsx";
import { Icon } from "../shared/icon.tsx";
import { regionTitle } from "../shared/names.tsx";
import classes from "./firewall.module.css";
import { RuleFields } from "./rule-fields.tsx";
import { isWrongLine, lineOf, newLine, type Rule, type RuleLine, ruleOf } from "./rules.ts";
import { touchedByRules } from "./use-rules.ts";

interface RulesetDialogProps {
  /** Changed; without it, a new one is created. */
  readonly ruleset?: Shape<"FirewallRuleset">;
  readonly onClose: () => void;
}

interface Given {
  readonly name: string;
  readonly region: string;
  readonly rules: Rule[];
}

export function RulesetDialog({ ruleset, onClose }: RulesetDialogProps) {
  const { regions } = useOffers();
  const [name, setName] = useState(ruleset?.name ?? "");
  const [chosen, setRegion] = useState<string | null>(ruleset?.region.name ?? null);
  const [lines, setLines] = useState<readonly RuleLine[]>(ruleset?.rules.map(lineOf) ?? [newLine(0)]);
  const region = chosen ?? regions[0]?.name ?? null;
  const save = useChange<Given, unknown>((client, { name: called, region: where, rules }) => {
    if (ruleset === undefined)
      return client.POST("/firewall-rulesets", { body: { name: called, region: where, rules } });
    const params = { path: { id: ruleset.id } };
    return client.PATCH("/firewall-rulesets/{id}", { params, body: { name: called, rules } });
  }, touchedByRules);
  const set = (id: number, part: Partial<RuleLine>) =>
    setLines(lines.map((one) => (one.id === id ? { ...one, ...part } : one)));
  const add = () => setLines([...lines, newLine(Math.max(-1, ...lines.map(({ id }) => id)) + 1)]);
  const submit = () => {
    if (region === null) return;
    save.mutate({ name: name.trim(), region, rules: lines.map(ruleOf) }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title={ruleset === undefined ? "New firewall ruleset" : `Edit ${ruleset.name}`}
      action={ruleset === undefined ? "Create ruleset" : "Save"}
      onClose={onClose}
      onSubmit={submit}
      disabled={name.trim() === "" || region === null || lines.some(isWrongLine)}
      pending={save.isPending}
      error={save.error}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(save.error, "name")}
        maxLength={64}
        data-autofocus
      />
      <Select
        label="Region"
        description="Instances in this region can be launched with it"
        data={(ruleset === undefined ? regions : [ruleset.region]).map((one) => ({
          value: one.name,
          label: regionTitle(one),
        }))}
        value={region}
        onChange={setRegion}
        disabled={ruleset !== undefined}
        allowDeselect={false}
        error={fieldError(save.error, "region")}
      />
      <h3 className={classes.title}>Rules</h3>
      <ul className={classes.rules}>
        {lines.map((line, index) => (
          <li key={line.id} className={classes.rule}>
            <RuleFields
              line={line}
              of={`rule ${index + 1}`}
              onChange={(part) => set(line.id, part)}
              rejected={(field) => fieldError(save.error, `rules.${index}.${field}`)}
            />
            <ActionIcon
              size="lg"
              aria-label={`Remove rule ${index + 1}`}
              onClick={() => setLines(lines.filter(({ id }) => id !== line.id))}
            >
              <Icon name="close" />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="default" size="xs" onClick={add} leftSection={<Icon name="rent" size={13} />}>
          Add rule
        </Button>
      </div>
    </FormDialog>
  );
}
