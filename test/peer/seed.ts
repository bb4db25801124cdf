/** What a new peer holds: little, and all of it may be changed by the test. */
import type { Behaviour } from './behaviour.ts';
import type { PeerState } from './state.ts';

const idOf = (number: number): string => `0199c000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Ids of the seed. */
export const peerIds = {
  campaigns: { nightly: idOf(1), smoke: idOf(2) },
  projects: { chat: idOf(11) },
  packages: { privacy: idOf(31), injection: idOf(32) },
  scanners: { privacy: idOf(41), injection: idOf(42) },
  providers: { first: idOf(51), second: idOf(52) },
} as const;

/** The seed is older than any clock of a test. */
const made = new Date('2025-01-01T00:00:00Z');
const by = { createdAt: made, createdBy: 'peer' };

/** The one project. */
export const project = {
  ...by,
  adminCount: 1,
  memberCount: 3,
  providerCount: 1,
  scannerCount: 2,
  tokenCount: null,
  type: 'app',
  botType: null,
  chatbotId: null,
  adminRoleId: null,
  memberRoleId: null,
  id: peerIds.projects.chat,
  name: 'Chat App',
  friendlyId: 'chat-app',
  updatedAt: made,
  config: { packages: [], scanners: [], providers: [], providerRouting: null },
};

/** A state as a new gateway has it. */
export function seed(behaviour: Behaviour, now: () => Date): PeerState {
  const { campaigns } = peerIds;
  return {
    behaviour,
    now,
    runs: new Map(),
    schedules: new Map(),
    datasets: new Map(),
    effects: [],
    campaigns: byId(campaign(campaigns.nightly, 'Nightly'), campaign(campaigns.smoke, 'Smoke')),
  };
}

function byId<T extends { readonly id: string }>(...resources: readonly T[]): Map<string, T> {
  return new Map(resources.map((resource) => [resource.id, resource]));
}

function campaign(id: string, name: string) {
  return { ...by, id, name, description: null, attacks: [], vendored: false };
}
