// Usage and cost per day, folder, model, session and turn, as charts and tables.
import '../text/rooms';
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';
import type { UsageInfo } from '../api/types';
import { Button, Segmented } from '../ui';
import { t } from '../text';
import { count, duration, money, percent, tokens } from '../text/format';
import { sessionHref } from '../route/route';
import { Legend, modelName, Shares, StackedBars } from './charts';
import { quantile, sum } from './figures';
import { folderName } from './groups';
import { infoOf, welcome } from './link';
import { Page } from './Page';
import { byCost, createChart, createUsage, download, type By, type Chart, type Days, type Usage } from './usageRows';
import './more.css';

export default function UsageScreen(): JSX.Element {
  const [days, setDays] = createSignal<Days>('30');
  const usage = createUsage(days);
  const chart = createChart(usage);
  const { rows, models } = usage;
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
          <Button small icon="download" onClick={() => download(usage)}>
            {t('settings.csv')}
          </Button>
        </>
      }
    >
      <div class="cols usage" classList={{ forming: !usage.known() }}>
        <Figures usage={usage} />
        <CostChart usage={usage} chart={chart} />
        <div class="two">
          <Section title={t('settings.perFolder')}>
            <Shares rows={chart.folders()} models={models()} name={(row) => folderName(row.key)} mono />
          </Section>
          <Section title={t('settings.perModel')}>
            <Shares rows={chart.models()} models={models()} name={(row) => modelName(row.key)} />
          </Section>
        </div>
        <div class="two">
          <Dearest usage={usage} />
          <Section title={t('settings.whoPays')}>
            <WhoPays />
          </Section>
        </div>
        <Section title={t('settings.perSession')}>
          <Table
            open
            rows={byCost(rows.session(), 50)}
            first={t('settings.session')}
            name={(row) => <a href={sessionHref(row.key)}>{row.label ?? infoOf(row.key)?.title ?? t('sessions.untitled')}</a>}
          />
        </Section>
      </div>
    </Page>
  );
}

function Section(props: { title: string; children: JSX.Element }): JSX.Element {
  return (
    <section class="cbox">
      <header>
        <h2>{props.title}</h2>
      </header>
      {props.children}
    </section>
  );
}

/** Total, today, the median turn, and the share from the cache. */
function Figures(props: { usage: Usage }): JSX.Element {
  const { n, rows, total, change, today, readTokens } = props.usage;
  const costs = createMemo(() => rows.turn().map((row) => row.cost));
  return (
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
        <dd>{percent(readTokens() ? sum(rows.day(), 'cacheRead') / readTokens() : 0)}</dd>
        <dd class="nt">{t('settings.cacheOf', { n: tokens(readTokens()) })}</dd>
      </div>
    </dl>
  );
}

const BY: readonly By[] = ['day', 'turn', 'session', 'folder', 'model'];
function byWord(by: By): string {
  switch (by) {
    case 'day':
      return t('settings.byDay');
    case 'turn':
      return t('settings.byTurn');
    case 'session':
      return t('settings.bySession');
    case 'folder':
      return t('settings.byFolder');
    case 'model':
      return t('settings.byModel');
  }
}

/** The cost as bars, and the same as a table. */
function CostChart(props: { usage: Usage; chart: Chart }): JSX.Element {
  const { rows, total, models } = props.usage;
  const { by, setBy, charted, tableRows, nameOf } = props.chart;
  const word = () => byWord(by());
  return (
    <section class="cbox">
      <header>
        <h2>{t('settings.costPer')}</h2>
        <Segmented<By> label={t('settings.costPer')} value={by()} onChange={setBy} options={BY.map((value) => ({ value, label: byWord(value) }))} />
        <Legend models={models()} rows={charted()} />
      </header>
      <Show when={total() > 0 || rows.day().length > 0} fallback={<p class="dim">{t('settings.noUsage')}</p>}>
        <StackedBars
          rows={charted()}
          models={models()}
          name={nameOf}
          days={by() === 'day'}
          label={by() === 'day' ? t('settings.chartLabel', { n: charted().length }) : t('settings.chartBy', { by: word() })}
        />
        <Table rows={tableRows()} first={word()} name={(row) => <span title={by() === 'model' ? row.key : undefined}>{nameOf(row)}</span>} />
        <p class="only-phone">
          <Button icon="download" onClick={() => download(props.usage)}>
            {t('settings.csv')}
          </Button>
        </p>
      </Show>
    </section>
  );
}

/** The most expensive turns. */
function Dearest(props: { usage: Usage }): JSX.Element {
  const dearest = createMemo(() => byCost(props.usage.rows.turn(), 8));
  return (
    <section class="cbox">
      <header>
        <h2>{t('settings.dearest')}</h2>
      </header>
      <Show when={dearest().length} fallback={<p class="dim">{t('settings.noUsage')}</p>}>
        <div class="tablewrap" tabIndex={0} role="group" aria-label={t('settings.dearest')}>
          <table class="ut">
            <Heads labels={[t('settings.turn'), t('settings.time'), t('settings.cost')]} />
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
  );
}

function WhoPays(): JSX.Element {
  return (
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
        <Heads labels={[props.first, t('settings.turns'), t('settings.input'), t('settings.cached'), t('settings.output'), t('settings.cost')]} />
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

/** The labels of the columns; all but the first are figures. */
function Heads(props: { labels: readonly string[] }): JSX.Element {
  return (
    <thead>
      <tr>
        <For each={props.labels}>
          {(label, index) => (
            <th scope="col" classList={{ right: index() > 0 }}>
              {label}
            </th>
          )}
        </For>
      </tr>
    </thead>
  );
}
