import type * as z from 'zod';
import {
  type Config,
  configEntryFields,
  type EndpointResource,
  type ProjectResource,
  providerFields,
} from '../model/resources.ts';
import { seedIds } from './seed-ids.ts';

type Entry = Partial<z.input<typeof configEntryFields>>;

/** A package or scanner that blocks, unless the changes say something else. */
function entry(id: string, version: string, changes: Entry = {}): Config['scanners'][number] {
  return configEntryFields.parse({ id, version, ...changes });
}

function provider(
  id: string,
  name: string,
  changes: Partial<z.input<typeof providerFields>> = {},
): Config['providers'][number] {
  return providerFields.parse({ id, name, ...changes });
}

// Four projects; `chat-app` has changed twice, so that `configAt` has something to look back at.

interface SeedProject {
  readonly project: ProjectResource;
  readonly earlier: readonly { readonly at: string; readonly config: Config }[];
}

const { scannerPackages: packages, scanners, projects, chatbots } = seedIds;
const main = provider('provider-main', 'Main model', { default: 'true' });
const fallback = provider('provider-fallback', 'Fallback model');

const chatAppAtFirst: Config = {
  packages: [entry(packages.promptInjection, '2025-11')],
  providerRouting: 'default',
  providers: [main],
  scanners: [entry(scanners.promptInjection, '2025-11')],
};

const chatAppInJanuary: Config = {
  ...chatAppAtFirst,
  packages: [entry(packages.promptInjection, '2026-01'), entry(packages.pii, '2026-01', { mode: 'audit' })],
  scanners: [entry(scanners.promptInjection, '2026-01'), entry(scanners.pii, '2026-01', { mode: 'audit' })],
};

const chatAppNow: Config = {
  packages: [
    entry(packages.promptInjection, '2026-02'),
    entry(packages.pii, '2026-02'),
    entry(packages.jailbreak, '2026-01', { enabled: 'false', mode: 'audit' }),
    entry(packages.houseRules, '3'),
  ],
  providerRouting: 'fallback',
  providers: [main, fallback],
  scanners: [
    entry(scanners.promptInjection, '2026-02'),
    entry(scanners.pii, '2026-02', { flagMessage: 'Please leave personal data out of your message.' }),
    entry(scanners.jailbreak, '2026-01', { enabled: 'false', mode: 'audit' }),
    entry(scanners.houseRules, '3'),
  ],
};

const supportConfig: Config = {
  packages: [entry(packages.pii, '2026-02'), entry(packages.jailbreak, '2026-02')],
  providerRouting: 'default',
  providers: [main],
  scanners: [entry(scanners.pii, '2026-02'), entry(scanners.jailbreak, '2026-02')],
};

const codeConfig: Config = {
  packages: [entry(packages.promptInjection, '2026-01', { blocking: 'false', mode: 'audit' })],
  providerRouting: 'default',
  providers: [provider('provider-code', 'Code model', { default: 'true', capabilities: 'chat,completion' })],
  scanners: [entry(scanners.promptInjection, '2026-01', { blocking: 'false', mode: 'audit' })],
};

const emptyConfig: Config = { packages: [], providerRouting: 'default', providers: [fallback], scanners: [] };

function project(id: string, name: string, config: Config, changes: Partial<ProjectResource>): ProjectResource {
  return {
    adminCount: 2,
    adminRoleId: `role-${name}-admin`,
    botType: 'chat',
    chatbotId: chatbots.chat,
    config,
    createdAt: '2025-11-03T09:00:00.000Z',
    createdBy: 'grace@example.com',
    friendlyId: name,
    id,
    memberCount: 7,
    memberRoleId: `role-${name}-member`,
    name,
    providerCount: String(config.providers.length),
    scannerCount: String(config.scanners.length),
    tokenCount: '1',
    type: 'application',
    updatedAt: '2026-02-16T10:30:00.000Z',
    ...changes,
  };
}

/** The projects, each with the configurations that came before its present one. */
export const seedProjects: readonly SeedProject[] = [
  {
    project: project(projects.chatApp, 'chat-app', chatAppNow, { memberCount: 12, tokenCount: '3' }),
    earlier: [
      { at: '2025-11-03T09:00:00.000Z', config: chatAppAtFirst },
      { at: '2026-01-12T08:15:00.000Z', config: chatAppInJanuary },
    ],
  },
  {
    project: project(projects.supportAssistant, 'support-assistant', supportConfig, { chatbotId: chatbots.support }),
    earlier: [{ at: '2025-11-03T09:00:00.000Z', config: emptyConfig }],
  },
  {
    project: project(projects.codeHelper, 'code-helper', codeConfig, { chatbotId: chatbots.code, botType: 'agent' }),
    earlier: [{ at: '2025-11-03T09:00:00.000Z', config: emptyConfig }],
  },
  {
    project: project(projects.internalSearch, 'internal-search', emptyConfig, {
      chatbotId: '',
      type: 'sandbox',
      createdAt: '2026-02-16T10:30:00.000Z',
    }),
    earlier: [],
  },
];

// The endpoints that projects have replaced, as an older integration would still list them.

const { endpoints, groups } = seedIds;

function endpoint(id: string, name: string, rest: Partial<EndpointResource>, changes: Entry = {}): EndpointResource {
  const config: Config = {
    packages: [entry(packages.promptInjection, '2025-11', changes)],
    providerRouting: 'default',
    providers: [main],
    scanners: [entry(scanners.promptInjection, '2025-11', changes)],
  };
  const usual = { chatbotId: chatbots.chat, createdAt: '2025-08-04T07:00:00.000Z', groupId: groups.customerFacing };
  return { ...usual, config, id, name, ...rest };
}

/** Three endpoints in two groups. */
export const seedEndpoints: readonly EndpointResource[] = [
  endpoint(endpoints.chatWeb, 'chat-web', {
    config: { ...chatAppAtFirst, packages: [...chatAppAtFirst.packages, entry(packages.pii, '2025-11')] },
  }),
  endpoint(endpoints.chatMobile, 'chat-mobile', {}, { enabled: 'false' }),
  endpoint(endpoints.supportDesk, 'support-desk', {
    chatbotId: chatbots.support,
    config: supportConfig,
    groupId: groups.engineering,
  }),
];
