// Usage and cost per day, folder, model, session and turn, as charts and tables.
import '../text/rooms';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { UsageInfo } from '../api/types';
import { Button, Segmented } from '../ui';
import { t } from '../text';
import { count, duration, money, percent, tokens } from '../text/format';
import { sessionHref } from '../route/route';
import { createAsked } from './asked';
import { dayName, Legend, modelName, Shares, StackedBars } from './charts';
import { csv, dayKey, fillDays, quantile, sum } from './figures';
import { modelsOf, partsByKey, stack, type Stack } from './split';
import { folderName } from './groups';
import { infoOf, now, request, up, welcome } from './link';
import { Page } from './Page';
import './more.css';

type Days = '7' | '30' | '90';
type By = 'day' | 'turn' | 'session' | 'folder' | 'model';
const DAY = 86_400_000;

function table(by: string, range: () => { from: number; to: number } | null, split: string | null = null) {
  const [rows] = createAsked(range, async (span) => (await request({ type: 'usage', by, split, ...span })).rows);
  return Object.assign(() => (rows.error ? [] : (rows.latest ?? [])), { known: () => rows.latest !== undefined || rows.error !== undefined });
}

export default function Usage(): JSX.Element {
  const [days, setDays] = createSignal<Days>('30');
  const n = () => Number(days());
  const midnight = createMemo(() => new Date(now()).setHours(0, 0, 0, 0));
  const range = createMemo(() => (up() ? { from: midnight() - (n() - 1) * DAY, to: midnight() + DAY } : null));
  const earlier = createMemo(() => {
    const span = range();
    return span ? { from: span.from - n() * DAY, to: span.from - DAY / 2 } : null;
  });
  const byDay = table('day', range);
  const before = table('day', earlier);
  const byFolder = table('folder', range);
  const byModel = table('model', range);
  const bySession = table('session', range);
  const byTurn = table('turn', range);
  const filled = createMemo(() => fillDays(byDay(), range()?.from ?? midnight(), n()));
  const total = () => sum(byDay(), 'cost');
  const past = () => sum(before(), 'cost');
  const change = () => (past() > 0 ? (total() - past()) / past() : null);
  const today = () => byDay().find((row) => row.key === dayKey(midnight()));
  const costs = createMemo(() => byTurn().map((row) => row.cost));
  const readTokens = () => sum(byDay(), 'cacheRead') + sum(byDay(), 'input') + sum(byDay(), 'cacheWrite');
  const dearest = createMemo(() => [...byTurn()].sort((a, b) => b.cost - a.cost).slice(0, 8));
  const models = createMemo(() => modelsOf(byModel()));
  const [by, setBy] = createSignal<By>('day');
  // Grouped by model as well. Sessions and turns are loaded when they are shown.
  const split = (which: 'day' | 'folder' | 'session' | 'turn', always = false) => {
    const rows = table(which, () => (always || by() === which ? range() : null), 'model');
    return createMemo(() => partsByKey(rows()));
  };
  const dayParts = split('day', true);
  const folderParts = split('folder', true);
  const sessionParts = split('session');
  const turnParts = split('turn');
  const folderStacks = createMemo(() => byFolder().map((row) => stack(row, folderParts().get(row.key) ?? [])));
  const modelStacks = createMemo(() => byModel().map((row) => stack(row, [{ model: row.key, cost: row.cost }])));
  const dear = (rows: readonly Stack[]) => [...rows].sort((a, b) => b.cost - a.cost).slice(0, 30);
  const charted = createMemo((): readonly Stack[] => {
    switch (by()) {
      case 'day':
        return filled().map((row) => stack(row, dayParts().get(row.key) ?? []));
      case 'turn':
        return dear(byTurn().map((row) => stack(row, turnParts().get(row.key) ?? [])));
      case 'session':
        return dear(bySession().map((row) => stack(row, sessionParts().get(row.key) ?? [])));
      case 'folder':
        return dear(folderStacks());
      case 'model':
        return dear(modelStacks());
    }
  });
  const sessionName = (key: string) => infoOf(key)?.title ?? bySession().find((row) => row.key === key)?.label ?? t('sessions.untitled');
  const barName = (row: Stack): string => {
    switch (by()) {
      case 'day':
        return row.key === dayKey(midnight()) ? t('settings.today') : dayName(row.key);
      case 'turn': {
        const parts = /^(.+)[/#:](\d+)$/.exec(row.key);
        return parts ? `${sessionName(parts[1] ?? '')}, ${t('settings.turn')} ${parts[2]}` : row.key;
      }
      case 'session':
        return sessionName(row.key);
      case 'folder':
        return folderName(row.key);
      case 'model':
        return modelName(row.key);
    }
  };
  const BY: readonly { value: By; label: string }[] = [
    { value: 'day', label: t('settings.byDay') },
    { value: 'turn', label: t('settings.byTurn') },
    { value: 'session', label: t('settings.bySession') },
    { value: 'folder', label: t('settings.byFolder') },
    { value: 'model', label: t('settings.byModel') },
  ];
  const tableRows = createMemo((): readonly UsageInfo[] => {
    const all = { day: filled().filter((row) => row.turns > 0 || row.cost > 0), turn: byTurn(), session: bySession(), folder: byFolder(), model: byModel() }[
      by()
    ];
    return by() === 'day' ? all : [...all].sort((a, b) => b.cost - a.cost).slice(0, 30);
  });
  const download = () => {
    const file = URL.createObjectURL(new Blob([csv(filled())], { type: 'text/csv' }));
    Object.assign(document.createElement('a'), { href: file, download: `usage-${days()}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(file), 60_000);
  };
  return (
    <Page
      title={t('sessions.usage')}
      head={
        <>
          <span class="push" />
          <Segmented<Days>
            label={t('settings.range')}
            value={days()}
            onChange={setDays}
            options={(['7', '30', '90'] as const).map((value) => ({ value, label: t('settings.days', { n: value }) }))}
          />
          <Button small icon="download" onClick={download}>
            {t('settings.csv')}
          </Button>
        </>
      }
    >
      <div class="cols usage" classList={{ forming: [byDay, byFolder, byModel, bySession, byTurn].some((one) => !one.known()) }}>
        <dl class="figs">
          <div>
            <dt>{t('settings.total', { n: n() })}</dt>
            <dd>{money(total())}</dd>
            <Show when={change() !== null}>
              <dd class="nt">{t('settings.before', { part: `${(change() ?? 0) >= 0 ? '+' : '−'}${percent(Math.abs(change() ?? 0))}`, n: n() })}</dd>
            </Show>
          </div>
          <div>
            <dt>{t('settings.today')}</dt>
            <dd>{money(today()?.cost ?? 0)}</dd>
            <dd class="nt">{t('settings.turnsToday', { n: today()?.turns ?? 0 })}</dd>
          </div>
          <div>
            <dt>{t('settings.median')}</dt>
            <dd>{money(quantile(costs(), 0.5))}</dd>
            <Show when={costs().length >= 20}>
              <dd class="nt">{t('settings.dear', { cost: money(quantile(costs(), 0.95)) })}</dd>
            </Show>
          </div>
          <div>
            <dt>{t('settings.cache')}</dt>
            <dd>{percent(readTokens() ? sum(byDay(), 'cacheRead') / readTokens() : 0)}</dd>
            <dd class="nt">{t('settings.cacheOf', { n: tokens(readTokens()) })}</dd>
          </div>
        </dl>
        <section class="cbox">
          <header>
            <h2>{t('settings.costPer')}</h2>
            <Segmented<By> label={t('settings.costPer')} value={by()} onChange={setBy} options={BY} />
            <Legend models={models()} rows={charted()} />
          </header>
          <Show when={total() > 0 || byDay().length > 0} fallback={<p class="dim">{t('settings.noUsage')}</p>}>
            <StackedBars
              rows={charted()}
              models={models()}
              name={barName}
              days={by() === 'day'}
              label={
                by() === 'day'
                  ? t('settings.chartLabel', { n: charted().length })
                  : t('settings.chartBy', { by: BY.find((one) => one.value === by())?.label ?? '' })
              }
            />
            <Table
              rows={tableRows()}
              first={BY.find((one) => one.value === by())?.label ?? ''}
              name={(row) => <span title={by() === 'model' ? row.key : undefined}>{barName(stack(row, []))}</span>}
            />
            <p class="only-phone">
              <Button icon="download" onClick={download}>
                {t('settings.csv')}
              </Button>
            </p>
          </Show>
        </section>
        <div class="two">
          <section class="cbox">
            <header>
              <h2>{t('settings.perFolder')}</h2>
            </header>
            <Shares rows={folderStacks()} models={models()} name={(row) => folderName(row.key)} mono />
          </section>
          <section class="cbox">
            <header>
              <h2>{t('settings.perModel')}</h2>
            </header>
            <Shares rows={modelStacks()} models={models()} name={(row) => modelName(row.key)} />
          </section>
        </div>
        <div class="two">
          <section class="cbox">
            <header>
              <h2>{t('settings.dearest')}</h2>
            </header>
            <Show when={dearest().length} fallback={<p class="dim">{t('settings.noUsage')}</p>}>
              <div class="tablewrap" tabIndex={0} role="group" aria-label={t('settings.dearest')}>
                <table class="ut">
                  <thead>
                    <tr>
                      <th scope="col">{t('settings.turn')}</th>
                      <th scope="col" class="right">
                        {t('settings.time')}
                      </th>
                      <th scope="col" class="right">
                        {t('settings.cost')}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    <For each={dearest()}>
                      {(row) => (
                        <tr>
                          <th scope="row">
                            <TurnName row={row} />
                          </th>
                          <td class="right dim num">{row.duration > 0 ? duration(row.duration) : '–'}</td>
                          <td class="right num">{money(row.cost)}</td>
                        </tr>
                      )}
                    </For>
                  </tbody>
                </table>
              </div>
            </Show>
          </section>
          <section class="cbox">
            <header>
              <h2>{t('settings.whoPays')}</h2>
            </header>
            <div class="pay">
              <For each={welcome()?.agents.filter((agent) => agent.available)}>
                {(agent) => (
                  <p>
                    <b class="strong">{agent.name}</b> <span class="dim">{agent.paysDetail}</span>
                  </p>
                )}
              </For>
              <p class="dim">{t('settings.reported')}</p>
            </div>
          </section>
        </div>
        <section class="cbox">
          <header>
            <h2>{t('settings.perSession')}</h2>
          </header>
          <Table
            open
            rows={[...bySession()].sort((a, b) => b.cost - a.cost).slice(0, 50)}
            first={t('settings.session')}
            name={(row) => <a href={sessionHref(row.key)}>{row.label ?? infoOf(row.key)?.title ?? t('sessions.untitled')}</a>}
          />
        </section>
      </div>
    </Page>
  );
}

/** A turn is named `session/number`, or by its label from the bridge. */
function TurnName(props: { row: UsageInfo }): JSX.Element {
  const parts = () => /^(.+)[/#:](\d+)$/.exec(props.row.key);
  const title = () => props.row.label ?? infoOf(parts()?.[1] ?? '')?.title ?? props.row.key;
  return (
    <Show when={parts()} fallback={title()}>
      {(match) => (
        <a href={sessionHref(match()[1] ?? '')}>
          {title()}{' '}
          <span class="dim">
            {t('settings.turn')} {match()[2]}
          </span>
        </a>
      )}
    </Show>
  );
}

function Table(props: { rows: readonly UsageInfo[]; first: string; name: (row: UsageInfo) => JSX.Element; open?: boolean }): JSX.Element {
  const body = () => (
    <div class="tablewrap" tabIndex={0} role="group" aria-label={props.first}>
      <table class="ut">
        <thead>
          <tr>
            <th scope="col">{props.first}</th>
            <th scope="col" class="right">
              {t('settings.turns')}
            </th>
            <th scope="col" class="right">
              {t('settings.input')}
            </th>
            <th scope="col" class="right">
              {t('settings.cached')}
            </th>
            <th scope="col" class="right">
              {t('settings.output')}
            </th>
            <th scope="col" class="right">
              {t('settings.cost')}
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={props.rows}>
            {(row) => (
              <tr>
                <th scope="row">{props.name(row)}</th>
                <td class="right num">{count(row.turns)}</td>
                <td class="right num">{tokens(row.input + row.cacheWrite)}</td>
                <td class="right num">{tokens(row.cacheRead)}</td>
                <td class="right num">{tokens(row.output)}</td>
                <td class="right num">{money(row.cost)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
  return (
    <Show when={!props.open} fallback={body()}>
      <details class="astable">
        <summary class="link-btn">{t('settings.asTable')}</summary>
        {body()}
      </details>
    </Show>
  );
}
