// The health of a host: its findings with what to do, and its availability. Used by the
// drawer of a host, the table of hosts and the page Needs attention.

import { Badge } from "@mantine/core";
import type { Shape } from "../../../../src/client/client.ts";
import {
  type HealthSeverity,
  healthCodes,
  healthSeverities,
  worstSeverity,
} from "../../../../src/rules/host-health.ts";
import { formatNumber } from "../../shared/format-number.ts";
import { Time } from "../../shared/time.tsx";
import classes from "./host-drawer.module.css";

type Host = Shape<"Host">;
type Finding = Host["health"][number];

/** Its title, and the color of its badge. */
const severities = {
  warning: { title: "Warning", color: "amber" },
  critical: { title: "Critical", color: "red" },
} as const satisfies Record<HealthSeverity, { readonly title: string; readonly color: string }>;

export function SeverityBadge({ severity }: Pick<Finding, "severity">) {
  return <Badge color={severities[severity].color}>{severities[severity].title}</Badge>;
}

/** The worst severity of a host's findings; nothing for a host without any. */
export function HostSeverity({ health }: Pick<Host, "health">) {
  const severity = worstSeverity(health);
  return severity === undefined ? null : <SeverityBadge severity={severity} />;
}

/** For sorting: hosts without findings first. */
export function severityOrder({ health }: Pick<Host, "health">): number {
  const severity = worstSeverity(health);
  return severity === undefined ? -1 : healthSeverities.indexOf(severity);
}

export function HostHealth({ host: { health, availability_percent: percent } }: { readonly host: Host }) {
  return (
    <section className={classes.described} aria-label="Health">
      {percent !== null && <p className={classes.note}>Available {formatNumber(percent)} % of the last 30 days.</p>}
      {health.length > 0 && (
        <ul className={classes.findings}>
          {health.map((finding) => (
            <li key={finding.code}>
              <span className={classes.line}>
                <SeverityBadge severity={finding.severity} />
                {finding.message}
              </span>
              <p className={classes.note}>
                {healthCodes[finding.code].remedy} Since <Time at={finding.since} />.
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
