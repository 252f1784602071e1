// The model of a transcript, kept in step with the records of a session.
import { createSignal, type Accessor } from 'solid-js';
import type { Record } from '../api/types';
import type { Change, Draft, SessionView } from '../protocol';
import { Transcript } from '../transcript/model';

const block = (draft: Draft) => ({ message: draft.message, parent: draft.parent, index: draft.index, kind: draft.kind, id: draft.id, name: draft.name, text: draft.text });

function build(view: SessionView): Transcript {
  const made = new Transcript();
  made.apply(view.store.records);
  for (const draft of view.store.drafts) made.draft(block(draft));
  return made;
}

/** Whether any of these ends what was being written. */
const settles = (records: readonly Record[]): boolean => records.some((one) => one.what.type === 'assistant' || one.what.type === 'result');

/** Another model is given when the records were replaced; what is shown begins anew then. */
export function useTranscript(view: SessionView): Accessor<Transcript> {
  const [model, setModel] = createSignal(build(view));
  let open = new Map(view.store.drafts.map((draft) => [draft.key, draft]));
  view.onChange((change: Change) => {
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
        // What went without a record was taken back: it leaves the page too.
        if (gone.length && !settles(change.appended)) for (const parent of new Set(gone.map((draft) => draft.parent))) now.dropDrafts(parent);
        for (const draft of view.store.drafts) now.draft(block(draft));
      }
      for (const draft of change.grown) now.draft(block(draft));
    }
    open = new Map(view.store.drafts.map((draft) => [draft.key, draft]));
  });
  return model;
}
