// What few launches need, collapsed so that a launch stays three clicks: user data, a lifetime, a highest price, an idle
// rule, mount points, a password, and for operators the labels of hosts. Errors are shown while typing (more-options.ts).

import { Input, NumberInput, Switch, Textarea, TextInput, UnstyledButton } from "@mantine/core";
import { useId, useState } from "react";
import { maxUserDataBytes } from "../../../src/rules/user-data.ts";
import { useSession } from "../api/session-context.tsx";
import { IdleRuleInputs } from "../instances/idle-rule-inputs.tsx";
import { TagsEditor } from "../instances/tags-editor.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { Icon } from "../shared/icon.tsx";
import { FirewallChoice } from "./firewall-choice.tsx";
import classes from "./more-options.module.css";
import { type Bounds, type ChosenFileSystem, checkOptions, countSet, hoursOf } from "./more-options.ts";
import type { Order } from "./order.ts";

interface MoreOptionsProps {
  readonly order: Order;
  readonly bounds: Bounds;
  readonly onChange: (part: Partial<Order>) => void;
}

export function MoreOptionsStep({ order, bounds, onChange }: MoreOptionsProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const set = countSet(order);
  return (
    <section aria-label="More options">
      <h2 className={classes.title}>
        <UnstyledButton
          className={classes.fold ?? ""}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <Icon name="right" size={14} />
          More options
          <span className="soft">{set === 0 ? "optional" : `${set} set`}</span>
        </UnstyledButton>
      </h2>
      <div id={id} hidden={!open}>
        {open && <Options order={order} bounds={bounds} onChange={onChange} />}
      </div>
    </section>
  );
}

function Options({ order, bounds, onChange }: MoreOptionsProps) {
  const problems = checkOptions(order, bounds);
  const bytes = new TextEncoder().encode(order.userData).length;
  const most = formatNumber(maxUserDataBytes);
  const hasKeys = order.sshKeys.length > 0;
  const { isOperator } = useSession();
  return (
    <div className={classes.options}>
      <Textarea
        className={classes.wide ?? ""}
        label="User data"
        description={
          bytes === 0
            ? `For cloud-init, in any of its formats, up to ${most} bytes. It is not shown again.`
            : `${formatNumber(bytes)} of ${most} bytes`
        }
        placeholder={"#cloud-config\npackages: [git]"}
        value={order.userData}
        onChange={(event) => onChange({ userData: event.currentTarget.value })}
        error={problems.userData}
        autosize
        minRows={2}
        maxRows={14}
        spellCheck={false}
        classNames={{ input: classes.code ?? "" }}
      />
      <NumberInput
        label="Maximum lifetime in hours"
        description={
          bounds.mostSeconds === null
            ? "Terminated after this many billed hours"
            : `Terminated after this many billed hours. Your account allows ${hoursOf(bounds.mostSeconds)}`
        }
        placeholder={bounds.mostSeconds === null ? "Unlimited" : hoursOf(bounds.mostSeconds)}
        value={order.lifetime}
        onChange={(value) => onChange({ lifetime: String(value) })}
        error={problems.lifetime}
        clampBehavior="none"
        allowNegative={false}
        decimalScale={2}
        hideControls
      />
      <TextInput
        label="Maximum price per hour"
        description="Per instance, before a coupon. The launch is rejected if it costs more"
        placeholder="No maximum"
        leftSection="$"
        inputMode="decimal"
        value={order.maxPrice}
        onChange={(event) => onChange({ maxPrice: event.currentTarget.value })}
        error={problems.maxPrice}
        autoComplete="off"
      />
      <IdleRuleInputs value={order.idle} onChange={(idle) => onChange({ idle })} error={problems.idle} />
      {isOperator && (
        <TextInput
          className={classes.wide ?? ""}
          label="Host labels"
          description="For operators: only on hosts with these labels, key=value or key, separated by commas"
          placeholder="Any host"
          value={order.hostSelector}
          onChange={(event) => onChange({ hostSelector: event.currentTarget.value })}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.code ?? "" }}
        />
      )}
      <FirewallChoice
        region={order.region}
        value={order.firewallRulesets}
        onChange={(firewallRulesets, region) =>
          onChange({ firewallRulesets, ...(region === undefined ? {} : { region }) })
        }
      />
      <Input.Wrapper className={classes.wide ?? ""} label="Tags" description="Your own labels, to find instances by">
        <div className={classes.tags}>
          <TagsEditor value={order.tags} onChange={(tags) => onChange({ tags })} />
        </div>
      </Input.Wrapper>
      {order.fileSystems.map((one) => (
        <TextInput
          key={one.id}
          label={`Mount point of ${one.name}`}
          placeholder={`/mnt/${one.name}`}
          value={one.mountPoint}
          onChange={(event) =>
            onChange({ fileSystems: mountedAt(order.fileSystems, one.id, event.currentTarget.value) })
          }
          error={problems.mountPoints.get(one.id)}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.code ?? "" }}
        />
      ))}
      <Switch
        className={classes.wide ?? ""}
        label="Log in with a password"
        description={
          hasKeys
            ? "Available only without an SSH key"
            : "For a launch without an SSH key. The instance's page and lessor show have the password"
        }
        checked={order.password && !hasKeys}
        disabled={hasKeys}
        onChange={(event) => onChange({ password: event.currentTarget.checked })}
      />
    </div>
  );
}

function mountedAt(all: readonly ChosenFileSystem[], id: string, mountPoint: string): readonly ChosenFileSystem[] {
  return all.map((one) => (one.id === id ? { ...one, mountPoint } : one));
}
