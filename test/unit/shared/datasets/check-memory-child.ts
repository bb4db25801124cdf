import { checkPromptLabelCsv, maxPromptLabelBytes } from '#shared/datasets/prompt-label-csv.ts';

const [, , header = '', unit = ''] = process.argv;

function* file(): Generator<Uint8Array> {
  const piece = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
  yield Buffer.from(header);
  for (let size = header.length; size + piece.length <= maxPromptLabelBytes; size += piece.length) yield piece;
}

const answer = await checkPromptLabelCsv(file());
process.stdout.write(JSON.stringify({ answer, mostMb: process.resourceUsage().maxRSS / 1024 }));
