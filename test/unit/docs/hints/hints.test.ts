import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandList } from '#cli/command-list.ts';
import { programs } from '#cli/programs.ts';
import { pagesOf } from '#cli/runbook.ts';
import { copied } from '#create/stage-folder.ts';
import { docPages } from '#infra/package/manifests.ts';
import { packageFolder } from '#shared/places.ts';
import { describe, expect, test } from 'vitest';
import { everySpec, optionsOf } from '../../cli/command-specs.ts';
import { helps, type PrintedText, textsInSources, textsOfPages } from './collect-texts.ts';

const [sources, pages] = [await textsInSources(), textsOfPages()];
const texts: readonly PrintedText[] = [...sources, ...pages, ...(await helps())];

/** Places of the texts in which a pattern finds what a rule refuses. */
function refused(
  pattern: RegExp,
  isRefused: (found: RegExpMatchArray, text: string) => boolean,
  among = texts,
): string[] {
  return among.flatMap(({ place, text }) =>
    [...text.matchAll(pattern)].filter((found) => isRefused(found, text)).map(([whole]) => `${whole}: ${place}`),
  );
}

const word = String.raw`(?:--?[a-zA-Z][\w-]*|[a-z][\w-]*|[A-Z][\w-]*…?|…|"[^"]*"|\.\.?(?=/)\S*)`;
/** What comes after `autopilot` up to the end of the command. */
const hint = new RegExp(String.raw`(?<![\w/.#@-])autopilot (${word}(?: ${word})*)`, 'g');

const hints = texts.flatMap(({ place, text }) =>
  [...text.matchAll(hint)].map(([, words = '']) => ({ place, words: words.split(' ') })),
);

/** Words of sentences in which `autopilot` is the subject. */
const spoken = new Set('at itself lists schedule campaign finds says does and is shows runs has who on'.split(' '));

/** The first word that is no option and no value of one. */
function commandWord(words: readonly string[]): string | undefined {
  return words.find(
    (one, index) => /^[a-z]/.test(one) && !/^(?:--(?:stage|data|as|profile|region)|-C)$/.test(words[index - 1] ?? ''),
  );
}

describe('what the product prints for a person to do', () => {
  test('names commands that there are', () => {
    const known = new Set([...Object.keys(commandList), ...Object.keys(programs), 'help']);
    const unknown = hints.filter(({ words }) => {
      const name = commandWord(words);
      return name !== undefined && !known.has(name) && !spoken.has(name);
    });

    expect(unknown.map(({ place }) => place)).toEqual([]);
  });

  test('names options that the command or the program takes', async () => {
    const wrong: string[] = [];
    for (const { place, words } of hints) {
      const name = commandWord(words) ?? '';
      const options = (await optionsOf([name, words[words.indexOf(name) + 1] ?? ''])) ?? [];
      const given = words.filter((one) => one.startsWith('--'));
      if (given.some((option) => !options.includes(option))) wrong.push(place);
    }

    expect(wrong).toEqual([]);
  });

  test('names second words that the command knows', async () => {
    const wrong: string[] = [];
    for (const { place, words } of hints) {
      const name = commandWord(words) ?? '';
      if (!Object.hasOwn(commandList, name)) continue;
      const known = Object.keys((await everySpec()).find(({ path }) => path.join(' ') === name)?.spec.verbs ?? {});
      const second = words[words.indexOf(name) + 1] ?? '';
      if (known.length > 0 && /^[a-z]/.test(second) && !known.includes(second) && !joining.has(second))
        wrong.push(place);
    }

    expect(wrong).toEqual([]);
  });

  test('names pages of the runbook that there are', () => {
    const runbook = readFileSync(join(packageFolder, 'docs', 'runbook.md'), 'utf8');
    const known = new Set(pagesOf(runbook).map(({ name }) => name.toLowerCase()));
    const named = hints.flatMap(({ place, words }) =>
      commandWord(words) === 'runbook' ? [{ place, page: words[words.indexOf('runbook') + 1] ?? '' }] : [],
    );
    const unknown = named.filter(
      ({ page }) => /^[a-zA-Z]/.test(page) && !/^(?:NAME|CODE|prints|lists|with|gateway-autopilot-.*)$/.test(page),
    );

    expect(named.length).toBeGreaterThan(5);
    expect(unknown.filter(({ page }) => !known.has(page.toLowerCase())).map(({ place }) => place)).toEqual([]);
  });

  test('names operations of the AWS CLI that there are', async () => {
    const wrong: string[] = [];
    for (const { place, text } of texts) {
      for (const [, service = '', operation = ''] of text.matchAll(
        /(?<![\w:/.-])aws ([a-z][a-z0-9]+) ([a-z][a-z0-9-]+)/g,
      )) {
        if (!spokenOfAws.has(service) && !(await isAwsOperation(service, operation)))
          wrong.push(`aws ${service} ${operation}: ${place}`);
      }
    }

    expect(wrong).toEqual([]);
  });

  test('names files that an installed folder has, and pages by the function that knows where they lie', () => {
    const ofStage = Object.keys(copied);
    const path =
      /(?<![\w./…-])(?:docs|examples|create|cli|gateway|infra|local|operator|shared|test|console|functions)\/[\w./-]*\w\.(?:md|csv|json|ya?ml)\b/g;
    const isThere = (named: string) =>
      existsSync(join(packageFolder, named)) &&
      ofStage.some((one) => named.startsWith(`${one}/`) || copied[one] === named);

    expect(refused(path, ([named]) => !isThere(named), sources)).toEqual([]);
    expect(docPages.filter((name) => !existsSync(join(packageFolder, 'docs', name)))).toEqual([]);
  });

  // Only the sentence about an old Node does: it knows whether it is in a checkout.
  test('names no script of the repository, which an installed product does not have', () => {
    const scripts = /\bnpm (?:start|test|run)\b/g;
    expect(refused(scripts, (_, text) => !ofRepository.test(text))).toEqual([]);
  });
});

/** Sentences that say themselves that they are about the repository. */
const ofRepository = /on macOS|in a checkout|<!-- |this page is what|^`npm test` holds/;

/** Words that join a command to its sentence. */
const joining = new Set('and or says shows prints names lists groups is with for to has'.split(' '));
const spokenOfAws = new Set(['at', 'and']);

/** Commands that the AWS CLI has beside the operations of the services. */
const ofCli = new Set([
  'sso login',
  'configure export-credentials',
  'sts get-caller-identity',
  // No client of this service is among the packages.
  'servicecatalog create-product',
  'servicecatalog associate-product-with-portfolio',
  'servicecatalog create-constraint',
  'logs tail',
  'logs describe-log-groups',
  's3 cp',
  's3 ls',
  's3 rm',
  's3 mv',
]);
/** Services whose client is no package here, and what the pages use of them. */
const withoutClient = new Set([
  'kms schedule-key-deletion',
  'cloudwatch describe-alarms',
  'cloudwatch describe-alarm-history',
  'cloudwatch get-metric-statistics',
]);

async function isAwsOperation(service: string, operation: string): Promise<boolean> {
  if (ofCli.has(`${service} ${operation}`) || withoutClient.has(`${service} ${operation}`)) return true;
  const client = { s3api: 's3', events: 'eventbridge' }[service] ?? service;
  const path = join(
    packageFolder,
    'node_modules',
    '@aws-sdk',
    `client-${client.replace('secretsmanager', 'secrets-manager')}`,
    'dist-types',
    'commands',
  );
  const pascal = operation
    .split('-')
    .map((part) => `${part[0]?.toUpperCase()}${part.slice(1)}`)
    .join('');
  return (
    existsSync(path) &&
    readFileSync(join(path, 'index.d.ts'), 'utf8').toLowerCase().includes(`./${pascal}command"`.toLowerCase())
  );
}
