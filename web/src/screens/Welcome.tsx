// Shown on the first visit without an API key: starts a real session with the demo model in the scratch folder.
import '../text/onboarding';
import { createSignal, Show, type JSX } from 'solid-js';
import { Button, Icon } from '../ui';
import { t } from '../text';
import { go, sessionHref } from '../route/route';
import { Bring } from '../panels/FirstSteps';
import './lists.css';
import { act } from './act';
import { may, request, up, welcome } from './link';
import { keep } from './prefs';

export default function Welcome(): JSX.Element {
  const demo = () => welcome()?.agents.find((agent) => agent.pays === 'demo');
  const [busy, setBusy] = createSignal(false);
  const begin = async () => {
    const folder = welcome()?.scratch;
    const agent = demo();
    if (!folder || !agent) return;
    const started = await act(
      () =>
        request({
          type: 'start',
          projectPath: folder,
          agent: agent.name,
          title: t('onboarding.sessionTitle'),
          text: t('onboarding.greeting'),
          permissionMode: 'default',
        }),
      setBusy,
    );
    if (!started) return;
    keep('welcomed', '1');
    keep('tour', started.sessionId);
    go(sessionHref(started.sessionId), true);
  };
  return (
    <main class="main page" id="main" tabIndex={-1}>
      <header class="head">
        <a class="icon-btn back" href="#/" aria-label={t('sessions.back')} onClick={() => keep('welcomed', '1')}>
          <Icon name="back" />
        </a>
        <h1>{t('onboarding.welcome')}</h1>
      </header>
      <div class="scroll" tabIndex={0} role="group" aria-label={t('onboarding.welcome')} data-region="stream">
        <div class="begin">
          <p>{demo() ? t('onboarding.welcomeWords') : t('onboarding.welcomeBack')}</p>
          <Show when={demo()}>
            <p class="trust">{t('onboarding.demo')}</p>
          </Show>
          <div class="row wrap">
            <Show when={demo()}>
              <Button look="primary" disabled={busy() || !up() || !may('operate')} onClick={() => void begin()}>
                {busy() ? t('onboarding.beginning') : t('onboarding.begin')}
              </Button>
            </Show>
            <Button
              look={demo() ? 'bare' : 'primary'}
              onClick={() => {
                keep('welcomed', '1');
                go(demo() ? '#/' : '#/new');
              }}
            >
              {demo() ? t('onboarding.skip') : t('sessions.newSession')}
            </Button>
          </div>
          <h2>{t('onboarding.bring')}</h2>
          <Bring />
        </div>
      </div>
    </main>
  );
}
