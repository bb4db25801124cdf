import { readFileSync } from 'node:fs';
import { convertDataset } from '#shared/datasets/convert-dataset.ts';
import { checkPromptLabelCsv } from '#shared/datasets/prompt-label-csv.ts';

/** Only the reading of a file counts, so another process makes it. */
const [, , path = '', kind = ''] = process.argv;

const file = readFileSync(path);
const answer = kind === 'check' ? checkPromptLabelCsv(file) : convertDataset(file, { mapping: { label: true } });
const { problems = [] } = answer as { readonly problems?: readonly string[] };
process.stdout.write(JSON.stringify({ problems, mostMb: process.resourceUsage().maxRSS / 1024 }));
