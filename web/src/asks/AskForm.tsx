// The form of the request that is shown.
import { ErrorBoundary, Match, onCleanup, Suspense, Switch, type JSX } from 'solid-js';
import { lazy } from '../ui/part';
import type { AskInfo } from '../api/types';
import type { Guard } from '../gate/rules';
import { t } from '../text';
import { Button, Problem } from '../ui';
import type { AsksProps } from './Asks';
import { createContext, type AskKeys } from './context';
import type { AskForms } from './forms';
import { copyAsk } from './shown';

const kinds = () => import('./kinds');
const PermissionAsk = lazy(async () => ({ default: (await kinds()).PermissionAsk }));
const QuestionForm = lazy(async () => ({ default: (await kinds()).QuestionForm }));
const PlanReview = lazy(async () => ({ default: (await kinds()).PlanReview }));
const Elicitation = lazy(async () => ({ default: (await kinds()).Elicitation }));
const OtherAsk = lazy(async () => ({ default: (await kinds()).OtherAsk }));

/** Fetches the code of the forms ahead, so that a form is ready when a request arrives. */
export const preloadForms = (): void => void PermissionAsk.preload();

interface FormProps extends Omit<AsksProps, 'handle'> {
  ask: AskInfo;
  forms: AskForms;
  may: () => boolean;
  guard: Guard;
  setKeys: (keys: AskKeys | null) => void;
  setLeftover: (ask: string, text: () => string) => void;
  answered: (ask: string, here: boolean) => void;
}

export function AskForm(props: FormProps): JSX.Element {
  const sessionId = props.session.store.id;
  const context = createContext({
    client: props.client,
    sessionId,
    ask: copyAsk(props.ask),
    project: props.session.state()?.info.projectPath ?? props.client.list.get(sessionId)?.projectPath ?? '',
    may: props.may,
    forms: props.forms,
    guard: props.guard,
    diffOf: props.diffOf ?? ((ask, input) => props.client.commands.send({ type: 'diff', sessionId, toolUseId: ask.toolUseId ?? ask.ask, input })),
    setKeys: props.setKeys,
    setLeftover: (text) => props.setLeftover(props.ask.ask, text),
    takeBoxText: props.takeBoxText,
    answered: props.answered,
  });
  onCleanup(() => props.setKeys(null));
  return (
    <>
      <ErrorBoundary
        fallback={
          <div class="askfoot" role="alert">
            <span class="grow">{t('asks.formMissing')}</span>
            <Button onClick={() => location.reload()}>{t('asks.reload')}</Button>
          </div>
        }
      >
        <Suspense
          fallback={
            <p class="asknote dim" data-form="loading">
              {t('asks.formComes')}
            </p>
          }
        >
          <Switch fallback={<OtherAsk context={context} />}>
            <Match when={props.ask.kind === 'tool'}>
              <PermissionAsk context={context} />
            </Match>
            <Match when={props.ask.kind === 'question'}>
              <QuestionForm context={context} />
            </Match>
            <Match when={props.ask.kind === 'plan'}>
              <PlanReview context={context} />
            </Match>
            <Match when={props.ask.kind === 'elicitation'}>
              <Elicitation context={context} />
            </Match>
          </Switch>
        </Suspense>
      </ErrorBoundary>
      <Problem class="askfoot" why={context.act.problem()} />
    </>
  );
}
