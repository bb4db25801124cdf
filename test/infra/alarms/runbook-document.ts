import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import { alarmPrefix } from '#infra/constructs/monitoring/alarm-names.ts';
import { troubles } from '#shared/gateway-client/index.ts';
import { stepText } from '#shared/text/step.ts';
import { replaceBetween } from '../../unit/docs/documents/between-marks.ts';
import { parkReasons, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { configurations, ofType, synthesize, textAt } from '../template.ts';

/** The document with a page for each alarm and each reason. */
export const runbookPath = join(packageFolder, 'docs', 'runbook.md');

/** The runbook as it should be: the line below a heading is the text of its alarm or its reason. */
export async function freshRunbook(): Promise<string> {
  const [document, alarms] = await Promise.all([readFile(runbookPath, 'utf8'), alarmTexts()]);
  const texts = new Map([...alarms, ...reasonTexts()]);
  const part = { name: 'troubles', command: 'npm run docs -- runbook' };
  return replaceBetween(document, part, troubleTable()).replaceAll(
    /^(### (\S+)\n\n> ).*$/gm,
    (line, heading: string, name: string) => {
      const text = texts.get(name);
      return text === undefined ? line : `${heading}${text}`;
    },
  );
}

/** What may stand before the gateway: the one table that rows, doctor and status take their words from. */
function troubleTable(): string {
  const rows = Object.values(troubles).map(
    ({ shows, is, automatic, next }) => `| ${shows} | ${is} | ${automatic} | ${stepText(next)} |`,
  );
  return [
    '| code or status | what it is | what happens automatically | what to do |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** The texts of the alarms by their names, as a deployed stage sends them. */
async function alarmTexts(): Promise<ReadonlyMap<string, string>> {
  const { workers } = await synthesize(configurations.webhooks);
  const alarms = ofType(workers, 'AWS::CloudWatch::Alarm').map(([, { Properties }]): [string, string] => {
    const [, text = ''] = /^\[\w+\] (.+)\n/.exec(textAt(Properties, 'AlarmDescription')) ?? [];
    return [textAt(Properties, 'AlarmName').slice(alarmPrefix('prod').length), text];
  });
  return new Map(alarms);
}

/** What the command line says of each reason to park or to skip. */
function reasonTexts(): ReadonlyMap<string, string> {
  const parked = Object.entries(parkReasons).map(([code, { meaning }]): [string, string] => [code, meaning]);
  return new Map([...parked, ...Object.entries(skipReasons)]);
}
