// How many hosts of a region each filter leaves for an instance type.

import { counted, formatNumber } from "../../shared/format-number.ts";
import { useReturningWords } from "../../shared/returning.tsx";
import classes from "./capacity-page.module.css";
import { filters, type RegionCapacity, verdictOf } from "./verdict.ts";

export function Explanation({ capacity }: { readonly capacity: RegionCapacity }) {
  const { hosts, filters: passed } = capacity;
  const { hosts: left, reason } = verdictOf(capacity);
  const back = useReturningWords(capacity.returning);
  return (
    <>
      <p className={classes.sentence}>
        {left > 0
          ? `${formatNumber(left)} of ${counted(hosts, "host")} have capacity for one more instance.`
          : `None of ${counted(hosts, "host")} has capacity for an instance. ${reason}.`}
        {back !== undefined && ` ${back}.`}
      </p>
      <ol className={classes.funnel}>
        <Step words="Hosts of the region" count={hosts} of={hosts} ends={false} />
        {passed.map(({ filter, hosts_left }, index) => {
          const before = passed[index - 1]?.hosts_left ?? hosts;
          return (
            <Step
              key={filter}
              words={`that ${filters[filter].keeps}`}
              count={hosts_left}
              of={hosts}
              ends={hosts_left === 0 && before > 0}
            />
          );
        })}
      </ol>
    </>
  );
}

interface StepProps {
  readonly words: string;
  readonly count: number;
  readonly of: number;
  /** The filter that left no host. */
  readonly ends: boolean;
}

function Step({ words, count, of, ends }: StepProps) {
  return (
    <li className={classes.step} data-ends={ends}>
      <span>{words}</span>
      <strong>{formatNumber(count)}</strong>
      <span className={classes.bar} aria-hidden="true">
        <span style={{ width: `${of === 0 ? 0 : (count / of) * 100}%` }} />
      </span>
    </li>
  );
}
