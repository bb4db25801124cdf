import type * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { command as check } from '#cli/uploads/check.ts';
import { command as doctor } from '#cli/doctor/doctor.ts';
import { command as history } from '#cli/history/history.ts';
import { command as parked } from '#cli/parked/parked.ts';
import { command as plan } from '#cli/plan/plan.ts';
import { command as show } from '#cli/show/show.ts';
import { command as status } from '#cli/status/status.ts';
import type { Command } from '#cli/terminal/command.ts';
import { calendarAnswer, doctorAnswer, historyAnswer, nowAnswer } from '#console/api.ts';
import { checkAnswer, parkedAnswer, uploadAnswer } from '#console/api-work.ts';
import { documentOf, exampleDeps, registeredKey } from '../../golden/example-stage.ts';

const file = 'examples/datasets/prompt-injection.csv';

/**
 * What the CLI prints for a stage with something of everything, and the answer of the console that
 * holds it.
 */
interface Case {
  readonly command: Command;
  readonly words?: readonly string[];
  readonly schema: z.ZodObject;
  /** The part that the answer holds. @default all of it */
  readonly part?: (document: Record<string, unknown>) => unknown;
}

const cases: Readonly<Record<string, Case>> = {
  status: { command: status, schema: nowAnswer },
  history: { command: history, schema: historyAnswer },
  doctor: { command: doctor, schema: doctorAnswer },
  'parked list': {
    command: parked,
    words: ['list'],
    schema: parkedAnswer,
    part: ({ parked: rows }) => ({ parked: rows }),
  },
  show: { command: show, words: [registeredKey], schema: uploadAnswer },
  check: { command: check, words: [file], schema: checkAnswer, part: ({ files }) => (files as readonly object[])[0] },
  plan: {
    command: plan,
    schema: calendarAnswer,
    part: ({ commands, clockChanges, unread }) => ({ planned: commands, clockChanges, unread }),
  },
};

/** Fields of the CLI's documents that the page has from elsewhere, or must not have. */
const notForThePage = new Set(['exitCode', 'ledgerKey']);

function withoutThose(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutThose(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !notForThePage.has(key));
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutThose(field)]));
}

describe('the console tells all that the CLI tells', () => {
  test.each(Object.entries(cases))(
    '%s',
    async (_line, { command, words = [], schema, part = (document) => document }) => {
      const document = withoutThose(part(await documentOf(command, words, await exampleDeps())));

      const told = schema.partial().parse(document);

      expect(told).toEqual(document);
    },
  );
});
