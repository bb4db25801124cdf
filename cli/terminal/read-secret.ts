import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '#operator/errors.ts';

/** A token has at most 8 KB; more than this is the wrong file. */
const longestSecret = 65_536;

/** The source of a secret: a keyboard, or a pipe. */
export interface SecretSource {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: Pick<NodeJS.WriteStream, 'write'>;
}

/** Reads a secret: from a keyboard one line that is not shown, else all of standard input. */
export async function readSecret(prompt: string, { stdin, stderr }: SecretSource): Promise<string> {
  return stdin.isTTY ? typed(prompt, stdin, stderr) : piped(stdin);
}

async function typed(prompt: string, input: NodeJS.ReadStream, stderr: SecretSource['stderr']): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  stderr.write(prompt);
  try {
    return await new Promise((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => reject(new UsageError('nothing was given: nothing was done')));
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

async function piped(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > longestSecret) throw new UsageError(`more than ${longestSecret} bytes were given: that is no token`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
