import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../bundle/build-functions.ts';

/**
 * The package.json of what ships. Not the project's own: everything is bundled, so nothing is installed with it, and the CDK has to be the
 * one of the app that it goes into (two libraries make two kinds of constructs).
 */
export function packageManifest(): Record<string, unknown> {
  const project = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const { name, version, description, license, dependencies } = project;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { autopilot: 'cli/autopilot.mjs' },
    exports: {
      '.': { types: './infra/autopilot.d.ts', default: './infra/autopilot.js' },
      './package.json': './package.json',
    },
    peerDependencies: {
      'aws-cdk-lib': `^${dependencies['aws-cdk-lib']}`,
      constructs: `^${dependencies.constructs}`,
    },
  };
}
