// The page shows cards: names of tools occur in the host only. Samples and tests may contain them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '..');
const NAMES =
  /['"`](?:Bash|PowerShell|BashOutput|KillShell|Read|Edit|MultiEdit|Write|NotebookEdit|NotebookRead|Grep|Glob|LS|LSP|ToolSearch|WebFetch|WebSearch|TodoWrite|Task(?:Create|Update|Get|List|Output|Stop)|AskUserQuestion|EnterPlanMode|ExitPlanMode|Skill|StructuredOutput|ReportFindings|SendMessage|ScheduleWakeup|Cron(?:Create|Delete|List))['"`(]/;

test('no name of a tool occurs in the page', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !/^(?:api|gallery|text)\//.test(file),
  );
  expect(files.length).toBeGreaterThan(150);
  const found = files.flatMap((file) =>
    readFileSync(join(SOURCE, file), 'utf8')
      .split('\n')
      .flatMap((line, n) => (NAMES.test(line) ? [`${file}:${n + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
