/** What a new peer holds beside its runs: little. */
const idOf = (number: number): string => `0199c000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Ids of the seed. */
export const peerIds = {
  campaigns: { nightly: idOf(1), smoke: idOf(2) },
  packages: { privacy: idOf(31) },
  scanners: { privacy: idOf(41), injection: idOf(42) },
  providers: { first: idOf(51), second: idOf(52) },
} as const;

/** The seed is older than any clock of a test. */
const made = new Date('2025-01-01T00:00:00Z');
const by = { createdAt: made, createdBy: 'peer' };

/** The one project, whose configuration never changed. */
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
  id: idOf(11),
  name: 'Chat App',
  friendlyId: 'chat-app',
  updatedAt: made,
  config: { packages: [], scanners: [], providers: [], providerRouting: null },
};

/** The campaigns; what they say of their runs is worked out from these. */
export const campaigns = new Map(
  Object.entries(peerIds.campaigns).map(([name, id]) => [
    id,
    { ...by, id, name, description: null, attacks: [], vendored: false },
  ]),
);
