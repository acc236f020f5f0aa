// The firewall rulesets that apply in addition to the account's rules. Nothing if the account has none. Selecting one
// selects its region.

import { MultiSelect } from "@mantine/core";
import { useRulesets } from "../firewall/use-rules.ts";

interface FirewallChoiceProps {
  readonly region: string;
  /** Ids. */
  readonly value: readonly string[];
  /** Called when the region has to change. */
  readonly onChange: (rulesets: readonly string[], region?: string) => void;
}

export function FirewallChoice({ region, value, onChange }: FirewallChoiceProps) {
  const all = useRulesets().data?.data ?? [];
  const fitting = all.filter((one) => region === "any" || one.region.name === region);
  const choose = (ids: readonly string[]) => {
    const first = all.find(({ id }) => id === ids[0]);
    if (region !== "any" || first === undefined) return onChange(ids);
    const inRegion = all.filter((one) => one.region.name === first.region.name).map(({ id }) => id);
    onChange(
      ids.filter((id) => inRegion.includes(id)),
      first.region.name,
    );
  };
  if (all.length === 0) return null;
  return (
    <MultiSelect
      label="Firewall rulesets"
      description="Added to the firewall rules of your account"
      placeholder={value.length === 0 ? "None" : ""}
      data={fitting.map(({ id, name, region: { name: where } }) => ({ value: id, label: `${name} (${where})` }))}
      value={value.filter((id) => fitting.some((one) => one.id === id))}
      onChange={choose}
      nothingFoundMessage="No rulesets in this region"
      searchable
      clearable
    />
  );
}
