import { checkPromptLabelCsv, maxPromptLabelBytes } from '#shared/datasets/prompt-label-csv.ts';

const [, , header = '', unit = ''] = process.argv;

const file = Buffer.from(header + unit.repeat((maxPromptLabelBytes - header.length) / unit.length));
const answer = checkPromptLabelCsv(file);
process.stdout.write(JSON.stringify({ answer, mostMb: process.resourceUsage().maxRSS / 1024 }));
