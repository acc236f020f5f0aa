// Tags, line by line, with errors while typing. Used by tags-dialog.tsx, the launch page, and for the labels of hosts.

import { ActionIcon, Button, TextInput } from "@mantine/core";
import { Icon } from "../shared/icon.tsx";
import { checkTags, type TagLine } from "./tag-lines.ts";
import classes from "./tags.module.css";

interface TagsEditorProps {
  /** What they are called; a tag unless told. */
  readonly noun?: string;
  readonly value: readonly TagLine[];
  readonly onChange: (tags: readonly TagLine[]) => void;
}

export function TagsEditor({ noun = "tag", value, onChange }: TagsEditorProps) {
  const problems = checkTags(value);
  const nextId = Math.max(-1, ...value.map(({ id }) => id)) + 1;
  const set = (id: number, part: Partial<TagLine>) =>
    onChange(value.map((one) => (one.id === id ? { ...one, ...part } : one)));
  return (
    <div className={classes.editor}>
      {value.map(({ id, key, value: text }, index) => (
        <div className={classes.line} key={id}>
          <TextInput
            aria-label={`Key of ${noun} ${index + 1}`}
            placeholder="Key"
            value={key}
            onChange={(event) => set(id, { key: event.currentTarget.value })}
            error={problems.keys.get(id)}
            spellCheck={false}
            autoComplete="off"
          />
          <TextInput
            aria-label={`Value of ${noun} ${index + 1}`}
            placeholder="Value"
            value={text}
            onChange={(event) => set(id, { value: event.currentTarget.value })}
            error={problems.values.get(id)}
            spellCheck={false}
            autoComplete="off"
          />
          <ActionIcon
            size="lg"
            aria-label={`Remove ${noun} ${index + 1}`}
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
      <Button
        className={classes.add ?? ""}
        variant="default"
        size="xs"
        onClick={() => onChange([...value, { id: nextId, key: "", value: "" }])}
        leftSection={<Icon name="plus" size={13} />}
      >
        Add {noun}
      </Button>
    </div>
  );
}
