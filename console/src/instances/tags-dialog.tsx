// The form for the tags of an instance: all of them.

import { useState } from "react";
import type { Shape } from "../../../src/client/index.ts";
import { useChange } from "../api/queries.ts";
import { FormDialog } from "../shared/form-dialog.tsx";
import { checkTags, hasProblems, linesOf, type Tag, tagsOf } from "./tag-lines.ts";
import { TagsEditor } from "./tags-editor.tsx";

interface TagsDialogProps {
  readonly instance: Shape<"Instance">;
  readonly onClose: () => void;
}

const empty = [{ id: 0, key: "", value: "" }];

export function TagsDialog({ instance, onClose }: TagsDialogProps) {
  const [lines, setLines] = useState(instance.tags.length === 0 ? empty : linesOf(instance.tags));
  const change = useChange(
    (client, body: { tags: Tag[] }) => client.PATCH("/instances/{id}", { params: { path: { id: instance.id } }, body }),
    ["instances", "events"],
  );
  return (
    <FormDialog
      title={`Tags of ${instance.name}`}
      action="Save tags"
      onClose={onClose}
      onSubmit={() => change.mutate({ tags: tagsOf(lines) }, { onSuccess: onClose })}
      disabled={hasProblems(checkTags(lines))}
      pending={change.isPending}
      error={change.error}
    >
      <p className="soft">Your own labels, such as a team or a project. Filter the list of instances by them.</p>
      <TagsEditor value={lines} onChange={setLines} />
    </FormDialog>
  );
}
