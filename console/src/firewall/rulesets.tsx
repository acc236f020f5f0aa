// The firewall rulesets of the account: rules for instances that are launched with them.

import { Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { ConfirmTyped } from "../shared/confirm-typed.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { RegionName, regionTitle } from "../shared/names.tsx";
import { Section } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { rulesWords } from "./rules.ts";
import { RulesetDialog } from "./ruleset-dialog.tsx";
import { touchedByRules, useRulesets } from "./use-rules.ts";

type Ruleset = Shape<"FirewallRuleset">;
type Asking = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly ruleset: Ruleset };

export function Rulesets() {
  const { may } = useSession();
  const read = useRulesets();
  const [asking, setAsking] = useState<Asking>();
  const close = () => setAsking(undefined);
  const add = may("rent") && (
    <Button variant="default" onClick={() => setAsking({ what: "new" })} leftSection={<Icon name="plus" />}>
      New ruleset
    </Button>
  );
  return (
    <Section title="Rulesets" actions={add}>
      <DataTable
        label="Firewall rulesets"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ id }) => id}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "name", descending: false }}
        filter={false}
        rowActions={
          may("rent")
            ? (ruleset) => (
                <>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="gray"
                    onClick={() => setAsking({ what: "edit", ruleset })}
                  >
                    Edit<span className="hidden"> {ruleset.name}</span>
                  </Button>
                  {ruleset.instance_ids.length === 0 && (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="red"
                      onClick={() => setAsking({ what: "delete", ruleset })}
                    >
                      Delete<span className="hidden"> {ruleset.name}</span>
                    </Button>
                  )}
                </>
              )
            : undefined
        }
        empty={
          <EmptyState icon="firewall" title="No rulesets">
            Create one for instances that need more than the rules above. You choose it when you launch an instance.
          </EmptyState>
        }
      />
      {asking?.what === "new" && <RulesetDialog onClose={close} />}
      {asking?.what === "edit" && <RulesetDialog ruleset={asking.ruleset} onClose={close} />}
      {asking?.what === "delete" && <DeleteRuleset ruleset={asking.ruleset} onClose={close} />}
    </Section>
  );
}

function DeleteRuleset({ ruleset, onClose }: { readonly ruleset: Ruleset; readonly onClose: () => void }) {
  const remove = useChange<undefined, unknown>(
    (client) => client.DELETE("/firewall-rulesets/{id}", { params: { path: { id: ruleset.id } } }),
    touchedByRules,
  );
  return (
    <ConfirmTyped
      opened
      onClose={onClose}
      title={`Delete ${ruleset.name}?`}
      action="Delete"
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
      pending={remove.isPending}
      error={remove.error}
    >
      <p>Its rules are deleted. No instance uses it.</p>
    </ConfirmTyped>
  );
}

const columns: readonly Column<Ruleset>[] = [
  { key: "name", header: "Name", primary: true, cell: ({ name }) => name, sort: ({ name }) => name },
  {
    key: "region",
    header: "Region",
    cell: ({ region }) => <RegionName region={region} />,
    sort: ({ region }) => regionTitle(region),
  },
  { key: "rules", header: "Rules", cell: ({ rules }) => rulesWords(rules), sort: ({ rules }) => rules.length },
  {
    key: "instances",
    header: "Instances",
    align: "right",
    cell: ({ instance_ids }) => formatNumber(instance_ids.length),
    sort: ({ instance_ids }) => instance_ids.length,
  },
  {
    key: "created",
    header: "Created",
    align: "right",
    cell: ({ created_at }) => <Time at={created_at} />,
    sort: ({ created_at }) => Date.parse(created_at),
  },
];
