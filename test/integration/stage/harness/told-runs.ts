/** What every surface of a stage has of its runs: as data, and as the texts that people read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '#cli/main.ts';
import type { RunReport } from '#operator/run-state/run-report.ts';
import { keptTerminal } from '../../../builders/kept-terminal.ts';
import { startConsoleOver } from '../../console/harness/console-over-stage.ts';
import { openTab } from '../../console/harness/test-console.ts';
import type { InProcessStage } from './in-process-stage.ts';

/** What a surface says of one start. */
type Told = Pick<
  RunReport,
  'run' | 'campaignRunId' | 'startId' | 'state' | 'tone' | 'says' | 'startAt' | 'endedAt' | 'score'
>;

/** All surfaces. */
interface ToldBy {
  /** Each by the command or the path that shows it. */
  readonly surfaces: readonly { readonly name: string; readonly runs: readonly Told[] }[];
  readonly screens: readonly { readonly name: string; readonly text: string }[];
  /** Of every command on record. */
  readonly ids: readonly string[];
}

/** Asks every surface for these starts. */
export async function toldBy(stage: InProcessStage, startIds: readonly string[]): Promise<ToldBy> {
  const { url, newLink, close } = await startConsoleOver(stage);
  const tab = await openTab({ url, newLink });
  const json = async (...args: string[]) => JSON.parse(await printed(stage, ...args, '--json'));
  const page = async (path: string) => (await tab(`/api/stages/local/${path}`)).json();
  const history = (await json('history', '--limit', '500')).history;
  const surfaces = [
    { name: 'status', runs: (await json('status')).runs },
    { name: 'history', runs: runsOf(history) },
    { name: 'page Now', runs: (await page('now')).runs },
    { name: 'page History', runs: runsOf((await page('history?limit=500')).history) },
    { name: 'page Calendar', runs: runsOf((await page('calendar')).past) },
  ];
  const report = join(stage.dataDir, 'report.html');
  await printed(stage, 'report', '--out', report);
  const screens = [{ name: 'report', text: readFileSync(report, 'utf8') }];
  for (const line of [['status'], ['history', '--limit', '500'], ['parked', 'list']])
    screens.push({ name: line.join(' '), text: await printed(stage, ...line) });
  for (const id of startIds) {
    surfaces.push({ name: `evidence ${id}`, runs: [(await json('evidence', id)).run] });
    surfaces.push({ name: `show ${id}`, runs: [(await json('show', id)).command.run] });
    surfaces.push({ name: `page of ${id}`, runs: [(await page(`runs/${encodeURIComponent(id)}`)).evidence.run] });
    screens.push({ name: `evidence ${id}`, text: withoutTables(await printed(stage, 'evidence', id)) });
  }
  await close();
  const ids = (history as readonly { readonly id: string }[]).map(({ id }) => id);
  return { surfaces: surfaces.map(({ name, runs }) => ({ name, runs: runs.map(toldOf) })), screens, ids };
}

function runsOf(history: readonly { readonly run?: RunReport }[]): readonly RunReport[] {
  return history.flatMap(({ run }) => run ?? []);
}

function toldOf({ run, campaignRunId, startId, state, tone, says, startAt, endedAt, score }: RunReport): Told {
  // A retry may come between two looks.
  const saysAlways = says.replace(/ \d+ times since then,/, '');
  return { run, campaignRunId, startId, state, tone, says: saysAlways, startAt, endedAt, score };
}

/** A table of evidence may have times of the ledger, and ids, in cells of their own. */
function withoutTables(document: string): string {
  return document.replaceAll(/(?<=\|) (?:\S+Z|`[^`|]+`) (?=\|)/g, '');
}

async function printed({ dataDir }: InProcessStage, ...args: string[]): Promise<string> {
  const { terminal, written } = keptTerminal({ AUTOPILOT_DATA: dataDir });
  if ((await main(args, terminal)) !== 0) throw new Error(`${args.join(' ')}: ${written.err}`);
  return written.out;
}
