/** What a new peer holds: little, and all of it may be changed by the test. */
import type { Behaviour } from './behaviour.ts';
import type { ConfigEntry, PeerConfig, PeerPackage, PeerState } from './state.ts';

const idOf = (number: number): string => `0199c000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Ids of the seed. */
export const peerIds = {
  campaigns: { nightly: idOf(1), smoke: idOf(2) },
  projects: { chat: idOf(11), support: idOf(12) },
  endpoints: { web: idOf(21), mobile: idOf(22) },
  packages: { privacy: idOf(31), injection: idOf(32), house: idOf(33) },
  scanners: { privacy: idOf(41), injection: idOf(42) },
  providers: { first: idOf(51), second: idOf(52) },
  groups: { customers: idOf(61), staff: idOf(62) },
  chatbots: { chat: idOf(71), support: idOf(72) },
} as const;

/** The seed is older than any clock of a test. */
const made = new Date('2025-01-01T00:00:00Z');
const by = { createdAt: made, createdBy: 'peer' };

/** A state as a new gateway has it. */
export function seed(behaviour: Behaviour, now: () => Date): PeerState {
  const { campaigns, projects, endpoints } = peerIds;
  return {
    behaviour,
    now,
    runs: new Map(),
    schedules: new Map(),
    datasets: new Map(),
    effects: [],
    campaigns: byId(campaign(campaigns.nightly, 'Nightly'), campaign(campaigns.smoke, 'Smoke')),
    projects: new Map([
      [projects.chat, project(projects.chat, 'Chat App', 'chat-app')],
      [projects.support, project(projects.support, 'Support Desk', 'support-desk')],
    ]),
    endpoints: byId(endpoint(endpoints.web, 'web', 'customers'), endpoint(endpoints.mobile, 'mobile', 'staff')),
    packages: new Map(
      packages.map((one, at) => [
        one.shown.id,
        { ...one, createdAt: new Date(made.getTime() + at * 60_000), updatedAt: made },
      ]),
    ),
  };
}

function byId<T extends { readonly id: string }>(...resources: readonly T[]): Map<string, T> {
  return new Map(resources.map((resource) => [resource.id, resource]));
}

function campaign(id: string, name: string) {
  return { ...by, id, name, description: null, attacks: [], vendored: false };
}

function entry(id: string, mode: string): ConfigEntry {
  return { id, enabled: true, blocking: mode === 'block', force: null, mode, flagMessage: null, version: '2026-02' };
}

function config(): PeerConfig {
  const { packages: known, scanners, providers } = peerIds;
  return {
    packages: [entry(known.privacy, 'redact'), { ...entry(known.injection, 'block'), enabled: false }],
    scanners: [entry(scanners.privacy, 'redact'), entry(scanners.injection, 'block')],
    providers: [
      { id: providers.first, name: 'First', type: 'model', enabled: true, default: true, capabilities: null },
    ],
    providerRouting: [[providers.first, { weight: 1 }]],
  };
}

function project(id: string, name: string, friendlyId: string) {
  const counts = { adminCount: 1, memberCount: 3, providerCount: 1, scannerCount: 2, tokenCount: null };
  const words = { type: 'app', botType: null, chatbotId: null, adminRoleId: null, memberRoleId: null };
  return {
    fields: { ...by, ...counts, ...words, id, name, friendlyId, updatedAt: made },
    configs: [{ from: made, config: config() }],
  };
}

function endpoint(id: string, name: string, group: keyof typeof peerIds.groups) {
  const { groups, chatbots } = peerIds;
  const chatbotId = group === 'customers' ? chatbots.chat : chatbots.support;
  return { ...by, id, name, groupId: groups[group], chatbotId, config: config() };
}

type Listed = Omit<PeerPackage, 'createdAt' | 'updatedAt'>;

const common = { availableUpdate: null, projectId: null, shared: false, vendored: true };

const packages: readonly Listed[] = [
  {
    shown: {
      ...common,
      id: peerIds.packages.privacy,
      name: 'Privacy',
      direction: 'both',
      availability: { global: true, projectIds: [] },
      scannerCounts: { regex: 1 },
      scannerIds: [peerIds.scanners.privacy],
      source: { type: 'vendor' },
    },
    published: true,
    packaged: true,
    types: ['regex'],
    tags: ['privacy', 'usual'],
    groupId: peerIds.groups.customers,
  },
  {
    shown: {
      ...common,
      id: peerIds.packages.injection,
      name: 'Injection',
      direction: 'request',
      availability: { global: true, projectIds: [] },
      scannerCounts: { model: 1 },
      scannerIds: [peerIds.scanners.injection],
      source: { type: 'vendor' },
    },
    published: true,
    packaged: true,
    types: ['model'],
    tags: ['usual'],
  },
  {
    shown: {
      ...common,
      id: peerIds.packages.house,
      name: 'House rules',
      direction: 'response',
      availability: { global: false, projectIds: [peerIds.projects.chat] },
      scannerCounts: {},
      scannerIds: [],
      source: { type: 'internal' },
      vendored: false,
    },
    published: false,
    packaged: false,
    types: ['keyword'],
    tags: [],
  },
];
