import { Show, type JSX } from 'solid-js';
import { go } from '../route/route';
import { t } from '../text';
import { Button } from '../ui';

/** Shown when the page failed to render. Drafts are stored elsewhere; this shows the error and how to continue. */
export function Broken(props: { error: unknown; again: () => void; inside?: boolean }): JSX.Element {
  const words = () => (props.error instanceof Error ? (props.error.stack ?? props.error.message) : String(props.error));
  // eslint-disable-next-line no-console -- for bug reports
  console.error(props.error);
  return (
    <main class="main" id="main" tabIndex={-1}>
      <div class="scroll">
        <div class="cols">
          <div class="blank" role="alert">
            <h1>{t('sessions.broke')}</h1>
            <p>{t('sessions.brokeWords')}</p>
            <div class="row wrap">
              <Button look="primary" icon="retry" onClick={() => props.again()}>
                {t('sessions.again')}
              </Button>
              <Button onClick={() => location.reload()}>{t('sessions.reload')}</Button>
              <Show when={props.inside}>
                <Button
                  look="bare"
                  onClick={() => {
                    go('#/');
                    props.again();
                  }}
                >
                  {t('sessions.toSessions')}
                </Button>
              </Show>
            </div>
            <pre class="well" tabIndex={0}>
              {words()}
            </pre>
          </div>
        </div>
      </div>
    </main>
  );
}
