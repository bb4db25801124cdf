/**
 * One thing that would make the workers slow, large or impatient, and the row that has to notice.
 */
export interface Break {
  /** What is done wrong. */
  readonly name: string;
  /** The row of the bench that goes over its bar by it. */
  readonly row: string;
  readonly file: string;
  /** Text that stands in its file exactly once. */
  readonly from: string;
  readonly to: string;
}

/** Each is a mistake that a person could make in a change that looks harmless. */
export const breaks: readonly Break[] = [
  {
    name: "zod by its name, `import { z } from 'zod'`",
    row: 'bundles',
    file: 'shared/messages/campaign-run-command.ts',
    from: "import * as z from 'zod';",
    to: "import { z } from 'zod';",
  },
  {
    name: 'no pacing: every environment sends as soon as it can',
    row: 'drain',
    file: 'functions/_gateway/rate-limiter.ts',
    from: 'return at > now ? clock.sleep(at - now).then(() => undefined) : undefined;',
    to: 'return undefined;',
  },
  {
    name: 'the rows of a command read one after the other',
    row: 'aws-calls',
    file: 'functions/_runs/load.ts',
    from: 'const found = await deps.ledger.readMany(missing);',
    to: 'const found = new Map();\n    for (const key of missing) found.set(key, (await deps.ledger.readMany([key])).get(key));',
  },
  {
    name: "the gate's row read for each record",
    row: 'aws-calls',
    file: 'functions/_gateway/create-gate.ts',
    from: 'return ageMs >= 0 && ageMs < freshMs ? known : undefined;',
    to: 'return ageMs < 0 ? known : undefined;',
  },
  {
    name: 'the schema of an answer made again for each record',
    row: 'record',
    file: 'shared/gateway-client/endpoints/campaigns.ts',
    from: 'export const runSchema = schemaOf(runResponseType);',
    to: 'export const runSchema: ReturnType<typeof schemaOf<UpdateCampaignRunResponse>> = { parse: (input, bytes) => schemaOf(z.looseObject({ message: z.string() })).parse(input, bytes) };',
  },
  {
    name: 'the rows of a watch read one after the other',
    row: 'aws-calls',
    file: 'functions/poll-scanner-packages/known-packages.ts',
    from: 'const rows = await ledger.readMany([pk, ...keysOf(watch)]);',
    to: 'const rows = new Map();\n  for (const key of [pk, ...keysOf(watch)]) rows.set(key, await ledger.read(key));',
  },
];
