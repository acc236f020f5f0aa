// The form for the tags of an instance.

import { useForm } from "@mantine/form";
import type { Shape } from "../../../src/client/client.ts";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { checkTags, hasProblems, linesOf, tagsOf } from "./tag-lines.ts";
import { TagsEditor } from "./tags-editor.tsx";

interface TagsDialogProps {
  readonly instance: Shape<"Instance">;
  readonly onClose: () => void;
}

const empty = [{ id: 0, key: "", value: "" }];

export function TagsDialog({ instance, onClose }: TagsDialogProps) {
  const form = useForm({ initialValues: { tags: instance.tags.length === 0 ? empty : linesOf(instance.tags) } });
  const change = useChange(
    (client, { tags }: typeof form.values) =>
      client.PATCH("/instances/{id}", { params: { path: { id: instance.id } }, body: { tags: tagsOf(tags) } }),
    ["instances", "events"],
  );
  return (
    <FormDialog
      title={`Tags of ${instance.name}`}
      action="Save tags"
      form={form}
      change={change}
      onClose={onClose}
      disabled={hasProblems(checkTags(form.values.tags))}
    >
      <p className="soft">Your own labels, such as a team or a project. Filter the list of instances by them.</p>
      <TagsEditor value={form.values.tags} onChange={form.getInputProps("tags").onChange} />
    </FormDialog>
  );
}
