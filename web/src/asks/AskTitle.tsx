// The title of a permission request: what the agent wants to do.
import { Show, type JSX } from 'solid-js';
import { toolWords } from '../gate/standing';
import { around, t } from '../text';
import { folderName } from '../text/paths';
import type { AskContext } from './context';
import { changesFile, shortPath, type Input } from './inputs';
import { isDiff, type Preview } from './permission';
import { Revealed } from './Revealed';

/** The title: "Edit path", "Run a command in tidepool". */
export function AskTitle(props: { context: AskContext; input: Input; counts: Preview | undefined; changed: number }): JSX.Element {
  const { ask, project } = props.context;
  const text = (key: string) => (typeof props.input[key] === 'string' ? (props.input[key] as string) : null);
  const path = text('file_path') ?? text('notebook_path') ?? text('path');
  const diff = () => (props.counts && isDiff(props.counts) ? props.counts : null);
  const act = (): [string, string, string] => {
    const hole = (
      key: 'asks.actEdit' | 'asks.actWrite' | 'asks.actRead' | 'asks.actRun' | 'asks.actFetch' | 'asks.actMcp' | 'asks.actUse',
      code: string,
      params: { [name: string]: string } = {},
    ): [string, string, string] => {
      const [before, after] = around(key, 'what', params);
      return [before, code, after];
    };
    const mcp = /^mcp__(.+?)__(.+)$/.exec(ask.toolName);
    if (ask.toolName === 'Bash') return hole('asks.actRun', folderName(project));
    if (ask.toolName === 'Write' && path) return hole('asks.actWrite', shortPath(path, project));
    if (changesFile(ask.toolName) && path) return hole('asks.actEdit', shortPath(path, project));
    if (ask.toolName === 'Read' && path) return hole('asks.actRead', shortPath(path, project));
    if (ask.toolName === 'WebFetch' && text('url')) return hole('asks.actFetch', text('url') ?? '');
    if (mcp) return hole('asks.actMcp', mcp[2] ?? '', { server: mcp[1] ?? '' });
    return hole('asks.actUse', toolWords(ask.toolName));
  };
  return (
    <h2 id={`ask-title-${ask.ask}`}>
      {act()[0]}
      <code>
        <Revealed text={act()[1]} />
      </code>
      {act()[2]}
      <Show when={props.changed === 0 && diff()}>
        {(one) => (
          <>
            {' '}
            <span class="pm">
              <b>+{one().added}</b> <i>−{one().removed}</i>
            </span>
            <Show when={one().kind === 'new'}>
              {' '}
              <span class="chip">{t('asks.newFile')}</span>
            </Show>
          </>
        )}
      </Show>
      <Show when={props.changed > 0}>
        {' '}
        <span class="chip run">{t('asks.changedByYou', { n: props.changed })}</span>
      </Show>
    </h2>
  );
}
