// The title of a permission request: what the agent wants to do.
import { Show, type JSX } from 'solid-js';
import { titleOfAsk } from '../gate/standing';
import { around, t } from '../text';
import { folderName } from '../text/paths';
import type { AskContext } from './context';
import { shortPath } from './inputs';
import { isDiff, type Preview } from './permission';
import { Revealed } from './Revealed';

/** The title: "Edit path", "Run a command in tidepool". */
export function AskTitle(props: { context: AskContext; counts: Preview | undefined; changed: number }): JSX.Element {
  const { ask, project } = props.context;
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
    const body = ask.card?.body;
    switch (body?.type) {
      case 'shell':
        return hole('asks.actRun', folderName(project));
      case 'file_change':
        return hole(body.content === null ? 'asks.actEdit' : 'asks.actWrite', shortPath(body.path, project));
      case 'notebook':
        return hole('asks.actEdit', shortPath(body.path, project));
      case 'file_read':
        return hole('asks.actRead', shortPath(body.path, project));
      case 'web':
        if (body.kind === 'fetch') return hole('asks.actFetch', body.url);
        break;
      case 'mcp':
        return hole('asks.actMcp', body.toolTitle ?? body.tool, { server: body.serverTitle ?? body.server });
    }
    return hole('asks.actUse', titleOfAsk(ask));
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
