import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatProblems } from '#infra/config/load-automation.ts';
import { replaceBetween } from './between-marks.ts';
import { sectionOf, settingsIn } from './markdown.ts';
import { createOperatorBench } from './operator-bench.ts';

/** The document that shows what the command line and the synthesis print. */
export const guardsPath = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'guards.md');

type Bench = ReturnType<typeof createOperatorBench>;

/** Command lines that a section shows, and the stage in which they are typed. */
interface Scene {
  readonly lines: readonly string[];
  readonly begin: (settings: object) => Promise<Bench>;
}

const scenes = {
  /** The start that an operator wants is sent during a freeze. */
  Overrides: {
    lines: [
      'autopilot send start smoke --reason "INC-77: is it over?"',
      'autopilot send start smoke --override frozen --reason "INC-77: proof that it works again"',
    ],
    begin: async (settings) => {
      const bench = createOperatorBench(settings);
      await bench.operator('autopilot freeze --reason INC-77');
      bench.passMs(30 * 60_000);
      return bench;
    },
  },
  /** A night of which nothing is sent. */
  Observe: {
    lines: ['autopilot history'],
    begin: async (settings) => {
      const bench = createOperatorBench({ ...settings, mode: 'observe' });
      await bench.fire('weeknights', '2026-11-23T22:00:00.000Z');
      await bench.tick('2026-11-24T06:00:30.000Z');
      return bench;
    },
  },
  /** A run that was started for real goes on while the stage observes. */
  'Change of mode': {
    lines: ['autopilot stop --all-in-flight --reason CHG-12 --yes'],
    begin: async (settings) => {
      const acted = createOperatorBench(settings);
      await acted.fire('weeknights', '2026-11-23T22:00:00.000Z');
      const bench = createOperatorBench({ ...settings, mode: 'observe' });
      for (const { version: _version, writer: _writer, ...row } of acted.table.all())
        await bench.table.write(undefined, row);
      bench.moveTo('2026-11-24T08:00:01.000Z');
      return bench;
    },
  },
  /** A night, a freeze, an override and a start that a blackout defers. */
  History: {
    lines: ['autopilot history'],
    begin: async (settings) => {
      const bench = createOperatorBench(settings);
      await bench.fire('weeknights', '2026-11-20T22:00:00.000Z');
      bench.moveTo('2026-11-20T22:29:00.000Z');
      await bench.operator('autopilot freeze --reason INC-77');
      await bench.ask('2026-11-20T22:30:00.000Z', { run: 'smoke', origin: { kind: 'upload', name: 'datasets/a.csv' } });
      bench.passMs(60_000);
      await bench.operator('autopilot send start smoke --override frozen --reason "INC-77: proof that it works again"');
      await bench.operator('autopilot thaw');
      await bench.tick('2026-11-20T23:01:10.000Z');
      await bench.tick('2026-11-21T06:00:10.000Z');
      await bench.ask('2026-11-23T10:00:00.000Z', { run: 'nightly', origin: { kind: 'operator', name: 'grace' } });
      return bench;
    },
  },
  /** What the schedule of the page does with the ids that are left. */
  Plan: {
    lines: ['autopilot plan --days 4'],
    begin: async (settings) => {
      const bench = createOperatorBench(settings);
      bench.passMs(60_000);
      return bench;
    },
  },
} satisfies Readonly<Record<string, Scene>>;

/** A section's command lines with what they print, and the stage in which they were typed. */
export async function play(section: keyof typeof scenes) {
  const { lines, begin }: Scene = scenes[section];
  const bench = await begin(await settingsIn(sectionOf(await readFile(guardsPath, 'utf8'), 'What is asked')));
  const printed: string[] = [];
  for (const line of lines) {
    printed.push(`$ ${line}`, await bench.operator(line));
    bench.passMs(1000);
  }
  return { bench, text: printed.join('\n') };
}

/** The document as it should be: its own words, and what is printed in each section. */
export async function freshGuardsDocument(): Promise<string> {
  const document = await readFile(guardsPath, 'utf8');
  const samples: Record<string, string> = { Warnings: await warningsOf(document) };
  for (const section of ['Overrides', 'Observe', 'Change of mode', 'History', 'Plan'] as const) {
    samples[section] = (await play(section)).text;
  }
  return Object.entries(samples).reduce(
    (text, [name, sample]) =>
      replaceBetween(text, { name, command: 'npm run docs -- guards' }, `\`\`\`text\n${sample}\n\`\`\`\n`),
    document,
  );
}

/** What the synthesis says about the schedules of the page. */
async function warningsOf(document: string): Promise<string> {
  const settings = await settingsIn(sectionOf(document, 'What is asked'));
  const more = await settingsIn(sectionOf(document, 'Warnings'));
  const { warnings } = createOperatorBench({ ...settings, ...more });
  return formatProblems(warnings.filter(({ path }) => path.startsWith('schedules'))).trimEnd();
}
