/** A stage as files, for those who deploy it by other means than `autopilot deploy`: `autopilot synth --out DIR`. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { zipSync } from 'fflate';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { shellWord } from '#shared/text/command-line.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { Refusal } from './stage-options.ts';

/** The asset list of a stack, as the CDK writes it (`@aws-cdk/cloud-assembly-schema`, AssetManifest). */
interface AssetList {
  readonly files: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path: string; readonly packaging: 'zip' | 'file' };
        readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
      }
    >
  >;
}

/** `sha256sum --check` reads it. */
const digestsFile = 'SHA256SUMS';

/** Files of one content have one digest on every machine: no time and no owner is in an archive. */
const archiveOptions = { mtime: new Date(1980, 0, 1), os: 3, attrs: 0o644 << 16 } as const;

type Place = NonNullable<ResolvedAutomation['deployment']['assets']>;

/**
 * Answers the bucket and the prefix for the archives of a stage.
 * @throws Refusal if the stage does not say it, or the folder could hold a person's own files
 */
export function releasePlace(out: string, { deployment: { assets }, stage }: ResolvedAutomation): Place {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new Refusal(`--out: ${out} is not empty; name a new folder`);
  if (assets !== undefined) return assets;
  throw new Refusal(
    `--out writes templates that name a bucket of yours: give ${stage} deployment.assets: { bucket: 'NAME', prefix: 'gateway-autopilot/' }`,
  );
}

/**
 * Writes two templates, the archives under the keys that they name, and a list of SHA-256.
 * @param from - the folder of the synthesized stage, and its name
 * @returns the two lines that put and deploy them
 */
export function writeRelease(
  { assembly, stage }: { readonly assembly: string; readonly stage: string },
  out: string,
  { bucket, prefix }: Place,
): readonly string[] {
  const { state, workers } = stackNames(stage);
  const written = new Map<string, Uint8Array>();
  for (const stack of [state, workers]) {
    written.set(`${stack}.template.json`, readFileSync(join(assembly, `${stack}.template.json`)));
    for (const { source, destinations } of Object.values(readAssets(assembly, stack).files)) {
      if (source.packaging !== 'zip') continue; // the template itself
      for (const { objectKey } of Object.values(destinations)) {
        written.set(join('assets', objectKey.slice(prefix.length)), archiveOf(join(assembly, source.path)));
      }
    }
  }
  mkdirSync(join(out, 'assets'), { recursive: true });
  for (const [name, bytes] of written) writeFileSync(join(out, name), bytes);
  const digests = [...written].map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  writeFileSync(join(out, digestsFile), digests.toSorted().join(''));
  const put = ['aws', 's3', 'cp', '--recursive', resolve(out, 'assets'), `s3://${bucket}/${prefix}`];
  const deploy = [state, workers].map((stack) =>
    deployLine(stack, resolve(out, `${stack}.template.json`), { bucket, prefix }),
  );
  return [inShell(put), deploy.map(inShell).join(' && ')];
}

/** A template of over 51,200 bytes goes by a bucket (CloudFormation quotas). */
function deployLine(stack: string, template: string, place: Place) {
  const where = ['--s3-bucket', place.bucket, '--s3-prefix', place.prefix.replace(/\/$/, '')];
  const what = ['--stack-name', stack, '--template-file', template, ...where];
  return ['aws', 'cloudformation', 'deploy', ...what, '--capabilities', 'CAPABILITY_NAMED_IAM'];
}

function readAssets(assembly: string, stack: string): AssetList {
  return JSON.parse(readFileSync(join(assembly, `${stack}.assets.json`), 'utf8'));
}

function archiveOf(folder: string): Uint8Array {
  const files = readdirSync(folder).toSorted();
  return zipSync(Object.fromEntries(files.map((name) => [name, [readFileSync(join(folder, name)), archiveOptions]])));
}

function inShell(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}
