import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';

/** The part of the project's package.json that its packages are made of. */
interface Project {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  /** The address of the public code: `https://github.com/OWNER/REPOSITORY`. A person says it, once there is such a place. */
  readonly repository?: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function readProject(): Project {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
}

/**
 * The package.json of what ships. Not the project's own: everything is bundled but the CDK's
 * command line. An app of other people brings its own CDK library for the construct, since two
 * libraries make two kinds of constructs. npm installs no peer that is optional.
 */
export function packageManifest(project: Project = readProject()): object {
  const { dependencies, devDependencies } = project;
  return {
    ...commonFields(project.name, project),
    // The second name is the one for npx outside of a folder: another package is called autopilot.
    bin: { autopilot: 'cli/autopilot.mjs', 'gateway-autopilot': 'cli/autopilot.mjs' },
    types: './infra/autopilot.d.ts', // for editors that do not read exports
    exports: {
      '.': { types: './infra/autopilot.d.ts', default: './infra/construct.mjs' },
      './config': { types: './shared/config/automation.d.ts', default: './shared/config/automation.mjs' },
      './package.json': './package.json',
    },
    dependencies: { 'aws-cdk': devDependencies['aws-cdk'] },
    peerDependencies: {
      'aws-cdk-lib': `^${dependencies['aws-cdk-lib']}`,
      constructs: `^${dependencies['constructs']}`,
    },
    peerDependenciesMeta: { 'aws-cdk-lib': { optional: true }, constructs: { optional: true } },
  };
}

/** The package.json of the creator. */
export function creatorManifest(project: Project = readProject()): object {
  const name = `create-${project.name}`;
  return { ...commonFields(name, project), bin: { [name]: 'create/create.mjs' } };
}

function commonFields(name: string, { version, description, license, repository }: Project): object {
  return { name, version, description, license, ...placeFields(repository), type: 'module', engines: { node: '>=24' } };
}

/** The registry compares `repository` with the workflow that publishes, and refuses provenance if they differ (npm Docs, "Generating provenance statements"). */
function placeFields(repository: string | undefined): object {
  if (repository === undefined) return {};
  return {
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git` },
    bugs: { url: `${repository}/issues` },
  };
}

/** What is wrong with the place of the code that a project names, as a sentence; undefined if a release can be published from there. Pure. */
export function repositoryProblem({ repository }: Pick<Project, 'repository'> = readProject()): string | undefined {
  if (repository !== undefined && /^https:\/\/github\.com\/[\w.-]+\/[\w.-]+(?<!\.git)$/.test(repository))
    return undefined;
  return `package.json names no public repository, and npm refuses a package with provenance then: write "repository": "https://github.com/OWNER/REPOSITORY" there`;
}

/** The pages of `docs/` that the package has: the guides for those who run a stage. */
export const docPages: readonly string[] = [
  'console.md',
  'datasets.md',
  'deploying.md',
  'evidence.md',
  'from-your-api-document.md',
  'guards.md',
  'links.md',
  'runbook.md',
  'security.md',
  'watching.md',
  'reference/configuration.md',
  'reference/events.md',
];
