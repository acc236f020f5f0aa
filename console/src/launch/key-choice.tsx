// The SSH keys of the instance: some of the account's, or a new one.

import { Button, Skeleton } from "@mantine/core";
import { useState } from "react";
import { NewKey } from "../keys/new-key.tsx";
import { useKeys } from "../keys/use-keys.ts";
import { Icon } from "../shared/icon.tsx";
import own from "./launch-page.module.css";
import classes from "./region-choice.module.css";

interface KeyChoiceProps {
  readonly value: readonly string[];
  /** Whether a password replaces a key. */
  readonly password: boolean;
  readonly onChange: (names: readonly string[]) => void;
}

export function KeyChoice({ value, password, onChange }: KeyChoiceProps) {
  const read = useKeys();
  const [adding, setAdding] = useState(false);
  const keys = read.data?.data;
  const toggle = (name: string) =>
    onChange(value.includes(name) ? value.filter((one) => one !== name) : [...value, name]);
  return (
    <>
      {keys === undefined && read.error === null && <Skeleton height={58} />}
      {keys === undefined && read.error !== null && <p className="soft">SSH keys could not be loaded.</p>}
      {keys !== undefined && keys.length > 0 && (
        <div className={classes.regions}>
          {keys.map(({ id, name, public_key }) => (
            <label key={id} className={classes.region} data-chosen={value.includes(name)}>
              <input
                className="hidden"
                type="checkbox"
                checked={value.includes(name)}
                onChange={() => toggle(name)}
                aria-label={`SSH key ${name}`}
              />
              <span className={classes.name}>
                {name}
                {value.includes(name) && <Icon name="check" size={14} />}
              </span>
              <span className="soft">{public_key.split(" ")[0]}</span>
            </label>
          ))}
        </div>
      )}
      <div className={own.under}>
        <Button
          variant="default"
          size="xs"
          onClick={() => setAdding(true)}
          leftSection={<Icon name="plus" size={13} />}
        >
          Add or generate SSH key
        </Button>
        {value.length === 0 && !password && keys !== undefined && (
          <span className="soft">
            Without a key, log in with a password (see More options) or through the web terminal.
          </span>
        )}
      </div>
      {adding && <NewKey onClose={() => setAdding(false)} onCreated={(name) => onChange([...value, name])} />}
    </>
  );
}
