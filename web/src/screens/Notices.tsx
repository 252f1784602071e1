// Problems of the whole page: no connection, a newer build, storage full. Shown at the top while they last.
import { Match, Show, Switch, type JSX } from 'solid-js';
import { Button, Icon } from '../ui';
import { t } from '../text';
import { age } from '../text/format';
import { route } from '../route/route';
import { bridgeFull, client, line, newer, now, stateOf } from './link';
import { storageFull } from './prefs';

export function Notices(): JSX.Element {
  // In an open session the gate shows the connection status.
  const gateSays = () => {
    const here = route();
    now();
    return here.at === 'session' && here.view === 'transcript' && stateOf(here.id) !== undefined;
  };
  const lost = () => line().phase === 'lost' && !gateSays();
  return (
    <div class="notices">
      <Show when={lost()}>
        <div class="notice off" role="status">
          <Icon name="warn" />
          <span>
            <Switch
              fallback={
                <>
                  <span class="what">{t('sessions.offline', { age: age(now() - line().since) })}</span> {t('sessions.offlineWords')}
                </>
              }
            >
              <Match when={line().bye === 'restarting'}>
                <span class="what">{t('sessions.restarting')}</span> {t('sessions.restartingWords')}
              </Match>
              <Match when={line().bye === 'stopping'}>
                <span class="what">{t('sessions.stopping')}</span> {t('sessions.stoppingWords')}
              </Match>
            </Switch>
            <Show when={line().nextTry}>{(at) => <> {t('sessions.offlineNext', { age: age(Math.max(0, at() - Date.now())) })}</>}</Show>
          </span>
          <Button small icon="retry" onClick={() => client().connection.tryNow()}>
            {t('sessions.tryNow')}
          </Button>
        </div>
      </Show>
      <Show when={newer()}>
        <div class="notice ask" role="status">
          <Icon name="retry" />
          <span>
            <span class="what">{t('sessions.newVersion')}</span> {t('sessions.newVersionWords')}
          </span>
          <Button small onClick={() => location.reload()}>
            {t('sessions.reload')}
          </Button>
        </div>
      </Show>
      <Show when={bridgeFull()}>
        <div class="notice bad" role="status">
          <Icon name="warn" />
          <span>
            <span class="what">{t('sessions.disk')}</span> {t('sessions.diskWords')}
          </span>
        </div>
      </Show>
      <Show when={storageFull()}>
        <div class="notice bad" role="status">
          <Icon name="warn" />
          <span>
            <span class="what">{t('sessions.storage')}</span> {t('sessions.storageWords')}
          </span>
        </div>
      </Show>
    </div>
  );
}
