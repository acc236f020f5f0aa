// Environment variables, line by line, with errors while typing. A pasted .env file becomes lines.

import { ActionIcon, Button, TextInput } from "@mantine/core";
import type { ClipboardEvent } from "react";
import { Icon } from "../shared/icon.tsx";
import { checkEnvVars, type EnvVar, parseEnvText } from "./env-vars.ts";
import classes from "./launch-page.module.css";

interface EnvVarsEditorProps {
  readonly value: readonly EnvVar[];
  readonly onChange: (vars: readonly EnvVar[]) => void;
}

export function EnvVarsEditor({ value, onChange }: EnvVarsEditorProps) {
  const problems = checkEnvVars(value);
  const nextId = Math.max(0, ...value.map(({ id }) => id)) + 1;
  const set = (id: number, part: Partial<EnvVar>) =>
    onChange(value.map((one) => (one.id === id ? { ...one, ...part } : one)));
  const paste = (event: ClipboardEvent, id: number) => {
    const text = event.clipboardData.getData("text");
    if (!text.includes("=")) return;
    const vars = parseEnvText(text, nextId);
    if (vars.length === 0) return;
    event.preventDefault();
    onChange([...value.filter((one) => one.id !== id || one.key !== "" || one.value !== ""), ...vars]);
  };
  return (
    <>
      {value.map(({ id, key, value: text }, index) => (
        <div className={classes.envVar} key={id}>
          <TextInput
            aria-label={`Name of variable ${index + 1}`}
            placeholder="NAME, or paste a .env file"
            value={key}
            onChange={(event) => set(id, { key: event.currentTarget.value })}
            onPaste={(event) => paste(event, id)}
            error={key === "" && text === "" ? undefined : problems.keys.get(id)}
            spellCheck={false}
            autoComplete="off"
          />
          <TextInput
            aria-label={`Value of variable ${index + 1}`}
            placeholder="Value"
            value={text}
            onChange={(event) => set(id, { value: event.currentTarget.value })}
            error={problems.values.get(id)}
            spellCheck={false}
            autoComplete="off"
          />
          <ActionIcon
            size="lg"
            aria-label={`Remove variable ${index + 1}`}
            onClick={() => onChange(value.filter((one) => one.id !== id))}
          >
            <Icon name="close" />
          </ActionIcon>
        </div>
      ))}
      {problems.whole !== undefined && (
        <p className={classes.wrong} role="alert">
          {problems.whole}
        </p>
      )}
      <div className={classes.under}>
        <Button
          variant="default"
          size="xs"
          onClick={() => onChange([...value, { id: nextId, key: "", value: "" }])}
          leftSection={<Icon name="plus" size={13} />}
        >
          Add variable
        </Button>
        <span className="soft">Written to ~/.env at every boot, encrypted at rest and not shown again.</span>
      </div>
    </>
  );
}
