// Sets the note and labels of many hosts. What is left empty stays as it is on each.

import { Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useState } from "react";
import { useChange } from "../../api/queries.ts";
import { checkTags, hasProblems, linesOf, tagsOf } from "../../instances/tag-lines.ts";
import { TagsEditor } from "../../instances/tags-editor.tsx";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { counted } from "../../shared/format-number.ts";
import { oneByOne } from "./one-by-one.ts";

interface BulkDescriptionProps {
  readonly names: readonly string[];
  readonly onClose: () => void;
}

export function BulkDescription({ names, onClose }: BulkDescriptionProps) {
  const [done, setDone] = useState(0);
  const form = useForm({ initialValues: { note: "", labels: linesOf([]), removed: "" } });
  const change = useChange(
    (client, { note, labels, removed }: typeof form.values) => {
      const gone = keysIn(removed).map((key) => [key, null] as const);
      const set = tagsOf(labels).map(({ key, value }) => [key, value] as const);
      const body = { ...(note !== "" && { note }), labels: Object.fromEntries([...gone, ...set]) };
      return oneByOne(names, (name) => client.PATCH("/hosts/{name}", { params: { path: { name } }, body }), setDone);
    },
    ["hosts"],
  );
  const { note, labels, removed } = form.values;
  const isNothing = note === "" && tagsOf(labels).length === 0 && keysIn(removed).length === 0;
  return (
    <FormDialog
      title={`Note and labels of ${counted(names.length, "host")}`}
      action={`Change ${counted(names.length, "host")}`}
      form={form}
      change={change}
      onClose={onClose}
      disabled={isNothing || hasProblems(checkTags(labels))}
    >
      <Textarea
        label="Note"
        description="Replaces their notes. Empty: they stay as they are."
        autosize
        minRows={2}
        maxRows={8}
        {...form.getInputProps("note")}
      />
      <p className="soft">Labels to set. Other labels stay as they are.</p>
      <TagsEditor noun="label" value={labels} onChange={form.getInputProps("labels").onChange} />
      <TextInput
        label="Labels to remove"
        description="Their keys, separated by commas."
        {...form.getInputProps("removed")}
      />
      {done > 0 && (
        <p role="status">
          {done} of {counted(names.length, "host")} changed.
        </p>
      )}
    </FormDialog>
  );
}

function keysIn(text: string): string[] {
  return text
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
}
