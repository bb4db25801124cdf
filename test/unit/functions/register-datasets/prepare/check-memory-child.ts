/** Checks one file of the largest size in a process of its own, and says how much memory that process took at most. */
import { checkPromptLabelCsv, maxPromptLabelBytes } from '#functions/register-datasets/prepare/prompt-label-csv.ts';

const [, , header = '', unit = ''] = process.argv;

function* file(): Generator<Uint8Array> {
  const piece = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
  yield Buffer.from(header);
  for (let left = maxPromptLabelBytes - header.length; left > 0; left -= piece.length) yield piece.subarray(0, left);
}

const answer = await checkPromptLabelCsv(file());
process.stdout.write(JSON.stringify({ answer, mostMb: process.resourceUsage().maxRSS / 1024 }));
