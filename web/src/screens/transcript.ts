// The transcript model, kept in sync with the records of a session.
import { createSignal, onCleanup, type Accessor } from 'solid-js';
import type { Record } from '../api/types';
import type { Change, Draft, SessionView } from '../protocol';
import { Transcript } from '../transcript/model';

const block = (draft: Draft) => ({
  message: draft.message,
  parent: draft.parent,
  index: draft.index,
  kind: draft.kind,
  id: draft.id,
  name: draft.name,
  text: draft.text,
});

function build(view: SessionView): Transcript {
  const made = new Transcript();
  made.apply(view.store.records);
  for (const draft of view.store.drafts) made.draft(block(draft));
  return made;
}

/** True if any of the records completes an unfinished message. */
const settles = (records: readonly Record[]): boolean =>
  records.some((one) => one.what.type === 'assistant' || one.what.type === 'result' || one.what.type === 'sluice_unfinished');

/** Returns a new model when the records were replaced; the transcript is rendered again then. */
export function useTranscript(view: SessionView): Accessor<Transcript> {
  const [model, setModel] = createSignal(build(view));
  let open = new Map(view.store.drafts.map((draft) => [draft.key, draft]));
  const leaving = new Set<string | null>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const takeAway = () => {
    clearTimeout(timer);
    for (const parent of leaving) model().dropDrafts(parent);
    leaving.clear();
  };
  onCleanup(() => clearTimeout(timer));
  view.onChange((change: Change) => {
    // If the agent process ended, its unfinished message stays; otherwise a missing message was withdrawn.
    if (change.reset || change.appended.some((one) => one.what.type === 'sluice_process')) {
      clearTimeout(timer);
      leaving.clear();
    } else if (leaving.size > 0 && (change.appended.length > 0 || change.grown.size > 0 || (change.drafts && view.store.drafts.length > 0))) takeAway();
    if (change.reset) {
      setModel(build(view));
    } else {
      const now = model();
      if (change.prepended.length) now.prepend(change.prepended);
      if (change.appended.length) now.apply(change.appended);
      const first = view.store.records[0]?.seq;
      if (change.dropped > 0 && first !== undefined) now.forget(first);
      if (change.drafts) {
        const here = new Set(view.store.drafts.map((draft) => draft.key));
        const gone = [...open.values()].filter((draft) => !here.has(draft.key));
        // A draft without a record was withdrawn and is removed, unless its agent process ended.
        if (gone.length && !settles(change.appended)) {
          for (const draft of gone) leaving.add(draft.parent);
          clearTimeout(timer);
          timer = setTimeout(takeAway, 400);
        }
        for (const draft of view.store.drafts) now.draft(block(draft));
      }
      for (const draft of change.grown) now.draft(block(draft));
    }
    open = new Map(view.store.drafts.map((draft) => [draft.key, draft]));
  });
  return model;
}
