// The form for an operator's note on a host and its labels.

import { Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { Shape } from "../../../../src/client/client.ts";
import { useChange } from "../../api/queries.ts";
import { checkTags, hasProblems, linesOf, tagsOf } from "../../instances/tag-lines.ts";
import { TagsEditor } from "../../instances/tags-editor.tsx";
import { FormDialog } from "../../shared/form-dialog.tsx";

interface DescriptionDialogProps {
  readonly host: Shape<"Host">;
  readonly onClose: () => void;
}

export function DescriptionDialog({ host, onClose }: DescriptionDialogProps) {
  const { name, note } = host;
  const before = Object.entries(host.labels).map(([key, value]) => ({ key, value }));
  const form = useForm({ initialValues: { note, labels: linesOf(before) } });
  const change = useChange(
    (client, values: typeof form.values) => {
      const labels = tagsOf(values.labels).map(({ key, value }) => [key, value] as const);
      const removed = before.map(({ key }) => [key, null] as const);
      const body = { note: values.note, labels: Object.fromEntries([...removed, ...labels]) };
      return client.PATCH("/hosts/{name}", { params: { path: { name } }, body });
    },
    ["hosts"],
  );
  return (
    <FormDialog
      title={`Note and labels of ${name}`}
      action="Save"
      form={form}
      change={change}
      onClose={onClose}
      disabled={hasProblems(checkTags(form.values.labels))}
    >
      <Textarea label="Note" autosize minRows={2} maxRows={8} {...form.getInputProps("note")} />
      <p className="soft">Labels, such as a rack or an order. Find hosts by them, here and with --selector.</p>
      <TagsEditor noun="label" value={form.values.labels} onChange={form.getInputProps("labels").onChange} />
    </FormDialog>
  );
}
