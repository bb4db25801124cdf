import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docPages } from '#infra/package/manifests.ts';
import { packageFolder } from '#shared/places.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { anchorsOf, linksOf } from '../../unit/docs/documents/markdown.ts';
import { type Assembly, readTemplates } from './read-templates.ts';
import { type Archive, installExampleApp, packCreator, packProduct } from './install-package.ts';

const run = promisify(execFile);
const compiler = join(packageFolder, 'node_modules/typescript/bin/tsc');

let folder: string;
let archive: Archive;
/** The example app, with the archive installed in it. */
let app: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'autopilot-package-'));
  app = join(folder, 'app');
  archive = await packProduct(folder);
  await installExampleApp(archive, app);
});

afterAll(async () => rm(folder, { recursive: true }));

/** Synthesizes a script of the app, without `cdk` around it. */
async function synthesizeApp(script: string, context: Readonly<Record<string, unknown>> = {}): Promise<Assembly> {
  const CDK_OUTDIR = join(folder, `${script}.out`);
  const { stderr } = await run(process.execPath, [script], {
    cwd: app,
    env: { ...process.env, CDK_OUTDIR, CDK_CONTEXT_JSON: JSON.stringify(context) },
  });
  expect(stderr).toBe('');
  return readTemplates(CDK_OUTDIR);
}

/** What a user's app prints, or says when it fails. */
async function outputOf(source: string): Promise<string> {
  writeFileSync(join(app, 'probe.ts'), source);
  const { stdout } = await run(process.execPath, ['probe.ts'], { cwd: app });
  return stdout.trim();
}

const readLicences = () => readFileSync(join(app, 'node_modules/gateway-autopilot/THIRD-PARTY-LICENCES.txt'), 'utf8');

const modesOf = ({ files }: Archive) => [...new Set(files.map(({ mode }) => mode.toString(8)))].toSorted();

describe('the archive', () => {
  test('holds the construct, the programs, the bundles, the files of a new stage, licences, and no source of its own', () => {
    const expected = [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'THIRD-PARTY-LICENCES.txt',
      'infra/autopilot.js',
      'infra/construct.mjs',
      'infra/autopilot.d.ts',
      'shared/config/automation.d.ts',
      'shared/config/automation.mjs',
      'cli/autopilot.mjs',
      'infra/app.mjs',
      'shared/require-node.mjs',
      'shared/private-folder.mjs',
      'local/clock/preload.mjs',
      'local/clock/moved-date.mjs',
      ...['child', 'child-handler'].map((name) => `local/lambda/${name}.mjs`),
      ...functionNames.map((name) => `build/functions/${name}/handler.mjs`),
    ];

    const packed = archive.files.map(({ path }) => path);
    expect(packed).toEqual(expect.arrayContaining(expected));
    const kinds =
      /^(?:automation\.config\.ts|docs\/(?:reference\/)?[\w-]+\.md|create\/template\/[\w.]+|examples\/(?:datasets\/[\w.-]+|fill-pool\.mjs)|chunks\/[\w.-]+\.mjs|files\/binding\/prebuilds\/[\w+-]+\/[\w.-]+\.node|build\/functions\/[\w-]+\/handler\.mjs\.map|(?:infra|shared)\/[\w/-]+\.d\.ts)$/;
    expect(packed.filter((path) => !expected.includes(path) && !kinds.test(path))).toEqual([]);
    expect(packed.filter((path) => path.endsWith('.d.ts')).length).toBeLessThan(8); // what people see, and no more
  });

  // It was packed with umask 077, by which its files were private, and its digest was another one.
  test('has the same modes for every person who packs it', async () => {
    const creator = await packCreator(folder);
    const runnable = [...archive.files, ...creator.files].filter(({ mode }) => mode === 0o755);

    expect([modesOf(archive), modesOf(creator)]).toEqual([
      ['644', '755'],
      ['644', '755'],
    ]);
    expect(runnable.map(({ path }) => path)).toEqual(['cli/autopilot.mjs', 'create/create.mjs']);
  });

  test('passes on the licences of what is bundled into it', () => {
    const licences = readLicences();

    const ofFunctions = ['zod', 'undici', 'croner', '@aws-sdk/client-s3', '@smithy/core'];
    const ofPage = ['preact', '@preact/signals'];
    for (const name of [...ofFunctions, ...ofPage, 'aws-cdk-lib', 'dynalite']) {
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
    // Compiled into the store of the local table, and the notice of the CDK.
    for (const text of ['The LevelDB Authors', 'Copyright 2011, Google Inc.', 'AWS Cloud Development Kit']) {
      expect(licences).toContain(text);
    }
    // An old package names its licence in an object, and holds no text.
    expect(licences).toMatch(/^lazy 1\.0\.11 \(MIT\)\n\nMIT License\n\nCopyright \(c\) Peteris Krumins\n/m);
    expect(licences).not.toMatch(/object Object|undefined/);
  });

  // Four pages had 17 links to pages that were not there.
  test('has pages whose links lead to a page and a heading of it', () => {
    const docs = join(app, 'node_modules/gateway-autopilot/docs');
    const text = (page: string) => readFileSync(join(docs, page), 'utf8');
    const dead = docPages.flatMap((page) =>
      linksOf(text(page)).filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        return !existsSync(join(docs, target)) || (anchor !== undefined && !anchorsOf(text(target)).includes(anchor));
      }),
    );

    expect(docPages.flatMap((page) => linksOf(text(page))).length).toBeGreaterThan(50);
    expect(dead).toEqual([]);
  });

  test('has every bundled package in its bill of materials', async () => {
    const bundled = [...readLicences().matchAll(/^((?:@[\w-]+\/)?[\w.-]+) (\d\S*) \([\w. -]+\)$/gm)];
    await run(process.execPath, ['infra/package/sbom.ts'], { cwd: packageFolder });
    const { components, metadata, serialNumber } = JSON.parse(
      readFileSync(join(packageFolder, 'build/sbom.cdx.json'), 'utf8'),
    );
    const listed = new Set(components.map(({ purl }: { readonly purl: string }) => decodeURIComponent(purl)));

    expect([metadata.timestamp, serialNumber]).toEqual([undefined, undefined]); // its digest can be compared
    expect(bundled.length).toBeGreaterThan(60);
    expect(
      bundled.filter(([, name, version]) => !listed.has(`pkg:npm/${name}@${version}`)).map(([line]) => line),
    ).toEqual([]);
  });
});

describe('the example app', () => {
  test('synthesizes what this project synthesizes of the same document, assets and all, whatever its own flags say', async () => {
    const configPath = join(app, 'stages.config.ts');
    writeFileSync(configPath, "import { automation } from './automation.ts';\nexport default { prod: automation };\n");
    const buildDir = join(folder, 'bundles');
    const CDK_OUTDIR = join(folder, 'project.out');
    const context = { stage: 'prod', config: configPath, buildDir };
    const env = { ...process.env, CDK_OUTDIR, CDK_VALIDATION: 'false', CDK_CONTEXT_JSON: JSON.stringify(context) };
    await run(process.execPath, ['infra/app.ts'], { cwd: packageFolder, env });

    const theirs = await synthesizeApp('app.ts', {
      '@aws-cdk/aws-iam:minimizePolicies': false,
      '@aws-cdk/core:enablePartitionLiterals': false,
      '@aws-cdk/core:includePrefixInUniqueNameGeneration': false,
    });

    const ours = readTemplates(CDK_OUTDIR);
    expect(Object.keys(ours)).toEqual(['GatewayAutopilot-prod-State', 'GatewayAutopilot-prod-Workers']);
    expect(theirs).toMatchObject(ours);
    expect(Object.keys(theirs)).toContain('Ours');
  });

  test('reads what a setting does in its editor, without the library that checks it', () => {
    const declarations = readFileSync(
      join(app, 'node_modules/gateway-autopilot/shared/config/automation.d.ts'),
      'utf8',
    );
    const keys = declarations.match(/^.*\n +readonly \w+\??: /gm) ?? [];

    expect(keys.length).toBeGreaterThan(120);
    expect(keys.filter((key) => !/^ +\/\*\* \S.* \*\/\n/.test(key))).toEqual([]);
    expect(declarations).toMatch(/@default '1 minute' \*\/\n +readonly startLead\?: string;/);
    expect(declarations).not.toMatch(/\bz\.|zod|import /);
  });

  test('is checked by the declarations of the package, and so are mistakes', async () => {
    const mistakes = [
      "import { App } from 'aws-cdk-lib/core';",
      "import { Autopilot, defineAutomation, type AutopilotProps } from 'gateway-autopilot';",
      'defineAutomation({ timezone: 1 });',
      "const props: AutopilotProps = { stage: 'prod', automation: defineAutomation({}) };",
      "new Autopilot(new App(), 'Theirs', props).bus.eventBusNaem;",
    ];
    writeFileSync(join(app, 'wrong.ts'), mistakes.join('\n'));

    const { stdout } = await run(process.execPath, [compiler, '--project', app, '--pretty', 'false']).catch(
      (error: { readonly stdout: string }) => error,
    );

    const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
    expect(errors.map((line) => /(\w+\.ts)\((\d)/.exec(line)?.slice(1))).toEqual([
      ['wrong.ts', '3'],
      ['wrong.ts', '4'],
      ['wrong.ts', '5'],
    ]);
    await rm(join(app, 'wrong.ts'));
  });
});

describe('the construct', () => {
  test('goes where its app says, and takes rules, subscriptions and writers of the app; what is odd is a warning', async () => {
    const said = await outputOf(`
      import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
      import { UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
      import { App, Stack } from 'aws-cdk-lib/core';
      import { Autopilot } from 'gateway-autopilot';
      import { automation } from './automation.ts';
      const app = new App({ builtinCloudFormationValidation: false });
      const env = { account: '123456789012', region: 'eu-west-1' };
      const schedules = [{ name: 'often', start: 'nightly', at: 'cron(0 0/4 * * ? *)' }];
      const autopilot = new Autopilot(app, 'Theirs', { stage: 'prod', automation: { ...automation, schedules }, env });
      const ours = new Stack(app, 'Ours', { env });
      const role = new Role(ours, 'Pipeline', { assumedBy: new ServicePrincipal('codebuild.amazonaws.com') });
      role.addManagedPolicy(autopilot.datasetsWriter);
      role.addManagedPolicy(autopilot.startingDatasetsWriter);
      autopilot.alarms.addSubscription(new UrlSubscription('https://pager.example.com/'));
      const assembly = app.synth();
      const typeOf = (stack: string, type: string) =>
        Object.values<any>(assembly.getStackByName(stack).template.Resources).filter(({ Type }) => Type === type);
      console.log(JSON.stringify({
        environments: [autopilot.state, autopilot.workers].map(({ environment }) => environment),
        warnings: autopilot.node.metadata.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => data),
        bus: autopilot.bus.eventBusName !== undefined,
        policies: typeOf('Ours', 'AWS::IAM::Role')[0].Properties.ManagedPolicyArns.length,
        endpoints: typeOf('GatewayAutopilot-prod-Workers', 'AWS::SNS::Subscription').map(({ Properties }) => Properties.Endpoint),
      }));`);

    const environment = 'aws://123456789012/eu-west-1';
    expect(JSON.parse(said)).toEqual({
      environments: [environment, environment],
      warnings: expect.arrayContaining([
        expect.stringMatching(/^schedules\[0\]\.at: .*\[ack: gateway-autopilot:schedules\[0\]\.at\]$/),
      ]),
      bus: true,
      policies: 2,
      endpoints: ['https://pager.example.com/'],
    });
  });

  // It used to end in a stack trace of the package's own code.
  test('prints every problem with its path, and no stack trace', async () => {
    const failed = await outputOf(`
      import { App } from 'aws-cdk-lib/core';
      import { Autopilot } from 'gateway-autopilot';
      new Autopilot(new App(), 'Theirs', { stage: 'prod', automation: { timezone: 'Mars/Olympus' } as never });
    `).catch((error: { readonly stderr: string }) => error.stderr);

    expect(failed).toMatch(/ConfigurationError: Theirs, stage prod: 3 problems\n {2}gateway: is missing/);
    expect(failed).not.toMatch(/^ {4}at /m);
  });

  // `npm ci` of a user's app brings no Node along, as the sentence used to say.
  test.each([
    ['the construct', 'probe.ts'],
    ['the command', 'node_modules/.bin/autopilot'],
  ])('%s says how an app gets the right Node, on an older one', async (_what, script) => {
    writeFileSync(
      join(app, 'probe.ts'),
      `import { App } from 'aws-cdk-lib/core';
      import { Autopilot } from 'gateway-autopilot';
      import { automation } from './automation.ts';
      new Autopilot(new App(), 'Theirs', { stage: 'prod', automation });`,
    );
    writeFileSync(
      join(app, 'older.mjs'),
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
    );

    const { stderr } = await run(process.execPath, ['--import', './older.mjs', script], { cwd: app }).catch(
      (error: { readonly stderr: string }) => error,
    );

    expect(stderr).toMatch(
      /needs Node 24.* and this is v2[04]\.\S+: install it \('nvm install 24', or from nodejs\.org\)/,
    );
    expect(stderr).not.toContain('npm ci');
  });

  test('refuses a stage that keeps nothing', async () => {
    const said = await outputOf(`
      import { App } from 'aws-cdk-lib/core';
      import { Autopilot } from 'gateway-autopilot';
      import { automation } from './automation.ts';
      try {
        new Autopilot(new App(), 'Theirs', { stage: 'local', automation });
      } catch (error) {
        console.log(String(error));
      }`);

    expect(said).toMatch(/^ConfigurationError: Theirs: the stage local is for one machine/);
  });
});
