// The form for a firewall ruleset, new or changed: its name, its region, and its rules.

import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { useOffers } from "../launch/use-offers.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { Icon } from "../shared/icon.tsx";
import { regionTitle } from "../shared/names.tsx";
import classes from "./firewall.module.css";
import { RuleFields } from "./rule-fields.tsx";
import { lineOf, newLine, ruleErrors, ruleOf } from "./rules.ts";
import { touchedByRules } from "./use-rules.ts";

interface RulesetDialogProps {
  /** Without it, a new one is created. */
  readonly ruleset?: Shape<"FirewallRuleset">;
  readonly onClose: () => void;
}

export function RulesetDialog({ ruleset, onClose }: RulesetDialogProps) {
  const { regions } = useOffers();
  const form = useForm({
    initialValues: {
      name: ruleset?.name ?? "",
      region: ruleset?.region.name ?? null,
      rules: ruleset?.rules.map(lineOf) ?? [newLine(0)],
    },
    validate: ({ name, rules }) => ({ ...(name.trim() === "" && { name: "Enter a name." }), ...ruleErrors(rules) }),
  });
  const lines = form.values.rules;
  const region = form.values.region ?? regions[0]?.name ?? "";
  const save = useChange<typeof form.values, unknown>((client, values) => {
    const [name, rules] = [values.name.trim(), values.rules.map(ruleOf)];
    if (ruleset === undefined) return client.POST("/firewall-rulesets", { body: { name, region, rules } });
    return client.PATCH("/firewall-rulesets/{id}", { params: { path: { id: ruleset.id } }, body: { name, rules } });
  }, touchedByRules);
  const add = () => form.insertListItem("rules", newLine(Math.max(-1, ...lines.map(({ id }) => id)) + 1));
  return (
    <FormDialog
      title={ruleset === undefined ? "New firewall ruleset" : `Edit ${ruleset.name}`}
      action={ruleset === undefined ? "Create ruleset" : "Save"}
      form={form}
      change={save}
      onClose={onClose}
    >
      <TextInput label="Name" {...form.getInputProps("name")} maxLength={64} data-autofocus />
      <Select
        label="Region"
        description="Instances in this region can be launched with it"
        data={(ruleset === undefined ? regions : [ruleset.region]).map((one) => ({
          value: one.name,
          label: regionTitle(one),
        }))}
        {...form.getInputProps("region")}
        value={region}
        disabled={ruleset !== undefined}
        allowDeselect={false}
      />
      <h3 className={classes.title}>Rules</h3>
      <ul className={classes.rules}>
        {lines.map((line, index) => (
          <li key={line.id} className={classes.rule}>
            <RuleFields form={form} index={index} of={`rule ${index + 1}`} />
            <ActionIcon
              size="lg"
              aria-label={`Remove rule ${index + 1}`}
              onClick={() => form.removeListItem("rules", index)}
            >
              <Icon name="close" />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="default" size="xs" onClick={add} leftSection={<Icon name="plus" size={13} />}>
          Add rule
        </Button>
      </div>
    </FormDialog>
  );
}
