import { posix } from 'node:path';

/** The room of a file: its first folder; a file of the root is its own. */
export function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** Where an import leads, from the root of the project; undefined for a package. */
export function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file), specifier)) : undefined;
}

/** The name of a package without what is inside of it: `@aws-sdk/client-sqs`, `aws-cdk-lib`. */
export function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** The table of docs/architecture.md, "The rooms": which rooms a room may import. A room that is not here may import nothing but itself. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  'automation.config.ts': ['shared/config/'],
  examples: ['shared/config/'],
  infra: ['shared/', 'cdk.json', 'console/assets.ts', 'console/bundle-page.ts', 'create/stage-folder.ts'], // and the flags of CDK, and what the package ships
  functions: ['shared/'],
  shared: ['package.json'], // the version in it
  gateway: ['shared/schedule/duration.ts', 'shared/net/connection-owner.ts', 'shared/text/program-arguments.ts'], // and types of shared/gateway-client: `gatewayTypes`
  local: ['gateway/', 'shared/', 'console/'],
  operator: ['shared/'],
  console: ['operator/', 'shared/'],
  create: ['shared/'],
  cli: [
    'operator/',
    'shared/',
    'console/',
    'local/start.ts',
    'gateway/start.ts',
    'gateway/start-options.ts',
    'local/stage/start-options.ts',
    'infra/deploy/run-command.ts',
    'create/start.ts',
  ], // its programs
  test: [
    'automation.config.ts',
    'vitest.config.ts',
    'infra/',
    'functions/',
    'shared/',
    'gateway/',
    'local/',
    'operator/',
    'console/',
    'create/',
    'cli/',
    'examples/',
  ],
};

/** They have a `package.json` of their own, so `#shared/…` means nothing there. */
export const namesNoRooms = /^(?:examples|test\/bench\/peers)\//;

/** The one thing of another room that the gateway may know, as types: so that it can also be run without the rest. */
export const gatewayTypes = 'shared/gateway-client/';

/** Rooms of people, who never call the gateway: `answer-questions` does, with its token and at its pace. Of the client they know words and ids. */
export const asksTheStage = /^(?:operator|cli|console)$/;
export const gatewayWords: readonly string[] = [
  'shared/gateway-client/failures/troubles.ts',
  'shared/gateway-client/operation.ts',
];

/** Outside things with one door each; tests may use any. */
export const doors: readonly {
  readonly packages: RegExp;
  readonly door: RegExp;
  /** How people read the door. */
  readonly where: string;
}[] = [
  { packages: /^undici$/, door: /^shared\/gateway-client\//, where: 'shared/gateway-client' },
  // The run on one machine reads queues as Lambda's own poller does, which no function has to.
  {
    packages: /^@aws-sdk\/|^@smithy\//,
    // Requests that no client makes are signed by AWS's signer too; a stage verifies and answers as AWS does.
    door: /^(?:(?:shared\/aws|operator\/aws|infra\/deploy|local\/lambda|local\/aws\/wire)\/|shared\/net\/request-signature\.ts$)/,
    where: 'shared/aws',
  },
  // The example app is a user's: it has a CDK of its own.
  { packages: /^aws-cdk-lib$|^constructs$/, door: /^(?:infra|examples\/own-cdk-app)\//, where: 'infra' },
  {
    packages: /^esbuild$/,
    door: /^(?:infra\/bundle\/|console\/bundle-page\.ts$)/,
    where: 'infra/bundle, and console/bundle-page.ts,',
  },
  { packages: /^hono$|^@hono\//, door: /^(?:gateway|console|local)\//, where: 'gateway, local and console' },
  { packages: /^preact$|^@preact\//, door: /^console\/page\//, where: 'console/page' },
  { packages: /^commander$/, door: /^shared\/text\/program-arguments\.ts$/, where: 'shared/text/program-arguments.ts' },
  { packages: /^dynalite$/, door: /^local\//, where: 'local' },
  {
    packages: /^ical\.js$/,
    door: /^(?:shared\/config\/schema\/calendar-file|operator\/plan\/plan-calendar)\.ts$/,
    where: 'shared/config/schema/calendar-file.ts, and operator/plan/plan-calendar.ts,',
  },
  { packages: /^croner$/, door: /^shared\/schedule\//, where: 'shared/schedule' },
  { packages: /^@aws-lambda-powertools\//, door: /^functions\/_handler\//, where: 'functions/_handler' },
];

/** Files that read the environment: where a process begins, where one is started, and what only the environment can tell. */
export const readsEnvironment: readonly RegExp[] = [
  /^infra\/app\.ts$/,
  /^functions\/_handler\/handlers\.ts$/,
  /^(?:gateway|local)\/start\.ts$/,
  /^local\/(?:lambda\/child|clock\/preload)\.mjs$/, // the beginning of each function's process
  /^local\/(?:lambda\/local-function|stage\/synthesize)\.ts$/, // hand it on to a process that they start
  /^cli\/(?:autopilot\.mjs|main\.ts)$/,
  /^examples\/fill-pool\.mjs$/, // a program of its own
  /^vitest\.config\.ts$/, // a run of the tests begins there
];

/** Files that ask where they lie: all others ask `shared/places.ts`, since a bundler moves them. */
export const knowsItsPlace: readonly RegExp[] = [
  /^shared\/places\.ts$/,
  /^functions\/_handler\/handlers\.ts$/, // its configuration lies beside the bundle
  /^infra\/bundle\/build-\w+\.ts$/, // write it into what they bundle
  /^shared\/require-node\.mjs$/, // runs where places.ts could not be read
];

/** Past this a file is split; a table of cases may be longer, since it reads as one. */
export const longest = { source: 300, test: 500 } as const;

/** The only file that gathers exports: it is the public face of the client. */
export const barrels: readonly string[] = ['shared/gateway-client/index.ts'];

/** Files that a tool reads by their default export. */
export const defaultExports: readonly RegExp[] = [/\.config\.ts$/];
