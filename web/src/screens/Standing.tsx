// The status of a session in lists. Its texts come from `gate/standing`.
import { Show, type JSX } from 'solid-js';
import type { SessionInfo } from '../api/types';
import { standingOf, type Standing } from '../gate/standing';
import { plainWords } from '../text/plain';
import { StateGlyph } from '../ui';
import { folderName } from './groups';
import { line, now, stateOf, unread } from './link';

export const standing = (info: SessionInfo): Standing =>
  standingOf(info, { now: now(), line: line(), unread: unread(info), state: stateOf(info.sessionId) ?? null });

/** Rendered again only when the session changes, not when its age does. */
export function Glyph(props: { info: SessionInfo }): JSX.Element {
  const how = () => standing(props.info);
  return <StateGlyph shape={how().shape} tone={how().quiet ? 'dim' : undefined} step={props.info.revision} />;
}

const TONES: Readonly<Record<Standing['ground'], string>> = { neutral: '', run: 't-run', warn: 't-ask', bad: 't-bad', off: '' };

export function RailWords(props: { info: SessionInfo }): JSX.Element {
  const how = () => standing(props.info);
  return (
    <>
      <span class={TONES[how().ground]}>{how().word}</span> · {how().short === how().figure ? folderName(props.info.projectPath) : how().short}
    </>
  );
}

export function ListWords(props: { info: SessionInfo }): JSX.Element {
  const how = () => standing(props.info);
  const rest = () =>
    how().group === 'idle' && props.info.preview ? `“${plainWords(props.info.preview)}”` : [how().about, how().evidence].filter(Boolean).join(' · ');
  return (
    <>
      <span class={TONES[how().ground]}>{how().word}</span>
      <Show when={rest()}> · {rest()}</Show>
    </>
  );
}
