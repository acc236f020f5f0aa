// What an operator does with many hosts at once: those that the filters of the Fleet page have left. Each action has one
// confirmation, which names how many hosts it is for; what is confirmed are the hosts that were shown then.

import { Button } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { type HostDecision, hostDecisions } from "../../../../src/rules/host-lifecycle.ts";
import { useSession } from "../../api/session-context.tsx";
import { counted } from "../../shared/format-number.ts";
import { Permitted } from "../../shared/permitted.tsx";
import { BulkDecision } from "./bulk-decision.tsx";
import { BulkDescription } from "./bulk-description.tsx";
import classes from "./fleet-page.module.css";
import { hostActionTitles } from "./host-labels.ts";

interface Asked {
  readonly action: HostDecision | "describe";
  readonly names: readonly string[];
}

export function BulkActions({ hosts }: { readonly hosts: readonly Shape<"Host">[] }) {
  const missing = useSession().lack("fleet", "operator");
  const [asked, setAsked] = useState<Asked>();
  const ask = (action: Asked["action"]) => setAsked({ action, names: hosts.map(({ name }) => name) });
  const close = () => setAsked(undefined);
  return (
    <section className={classes.bulk} aria-label="All shown hosts">
      <span className="soft">{counted(hosts.length, "host")} shown:</span>
      <Permitted to="change hosts" missing={missing}>
        {hostDecisions.map((action) => (
          <Button key={action} variant="default" size="xs" onClick={() => ask(action)}>
            {hostActionTitles[action]} all
          </Button>
        ))}
        <Button variant="default" size="xs" onClick={() => ask("describe")}>
          Note and label all
        </Button>
      </Permitted>
      {asked?.action === "describe" && <BulkDescription names={asked.names} onClose={close} />}
      {asked !== undefined && asked.action !== "describe" && (
        <BulkDecision action={asked.action} names={asked.names} onClose={close} />
      )}
    </section>
  );
}
