// The transcript model, kept in sync with the items of a session.
import { createSignal, type Accessor } from 'solid-js';
import type { SessionView } from '../protocol';
import { Transcript } from '../transcript/model';

/** Returns a new model when the items were replaced; the transcript is rendered again then. */
export function useTranscript(view: SessionView): Accessor<Transcript> {
  const [model, setModel] = createSignal(new Transcript(view.store.items));
  view.onChange(({ reset, items, grown, removed }) => {
    if (reset) setModel(new Transcript(view.store.items));
    else model().apply([...items.values(), ...grown.values()], [...removed]);
  });
  return model;
}
