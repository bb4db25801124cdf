/**
 * The well-known ids of the seed, for configurations, examples and tests that point at the embedded
 * gateway. Data only: this file imports nothing, so that anything may import it. gateway/README.md
 * lists the same ids.
 */

/** Forty runs, numbered from 01 on. */
function pool(family: string): readonly [string, string, ...string[]] {
  const id = (number: number) => `019ba000-0000-7000-8000-000000000${family}${String(number).padStart(2, '0')}`;
  return [id(1), id(2), ...Array.from({ length: 38 }, (_, index) => id(index + 3))];
}

/**
 * Ids that every freshly seeded gateway has, the same on every machine (UUIDv7 in shape, written by
 * hand).
 */
export const seedIds = {
  projects: {
    chatApp: '019ba000-0000-7000-8000-000000000101',
    supportAssistant: '019ba000-0000-7000-8000-000000000102',
    codeHelper: '019ba000-0000-7000-8000-000000000103',
    internalSearch: '019ba000-0000-7000-8000-000000000104',
  },
  campaigns: {
    /** "Chat bot nightly red team" */
    chatBotNightly: '019ba000-0000-7000-8000-000000000201',
    /** "Chat bot smoke test" */
    chatBotSmoke: '019ba000-0000-7000-8000-000000000202',
    /** "Support assistant monthly sweep" */
    supportMonthly: '019ba000-0000-7000-8000-000000000203',
    /** "Code helper jailbreak watch" */
    codeHelperJailbreak: '019ba000-0000-7000-8000-000000000204',
  },
  campaignRuns: {
    /** Forty runs of `chatBotNightly`, all scheduled far ahead. */
    nightly: pool('3'),
    /** Forty runs of `chatBotSmoke`, all scheduled far ahead. */
    smoke: pool('4'),
    /** Two runs of `supportMonthly`: one complete, one scheduled far ahead. */
    monthly: ['019ba000-0000-7000-8000-000000000501', '019ba000-0000-7000-8000-000000000502'],
  },
  scannerPackages: {
    pii: '019ba000-0000-7000-8000-000000000601',
    promptInjection: '019ba000-0000-7000-8000-000000000602',
    jailbreak: '019ba000-0000-7000-8000-000000000603',
    /** An internal package (source `internal`), owned by `chat-app`. */
    houseRules: '019ba000-0000-7000-8000-000000000604',
  },
  scanners: {
    pii: '019ba000-0000-7000-8000-000000000701',
    promptInjection: '019ba000-0000-7000-8000-000000000702',
    jailbreak: '019ba000-0000-7000-8000-000000000703',
    houseRules: '019ba000-0000-7000-8000-000000000704',
  },
  endpoints: {
    chatWeb: '019ba000-0000-7000-8000-000000000801',
    chatMobile: '019ba000-0000-7000-8000-000000000802',
    supportDesk: '019ba000-0000-7000-8000-000000000803',
  },
  groups: {
    customerFacing: '019ba000-0000-7000-8000-000000000901',
    engineering: '019ba000-0000-7000-8000-000000000902',
  },
  chatbots: {
    chat: '019ba000-0000-7000-8000-000000000a01',
    support: '019ba000-0000-7000-8000-000000000a02',
    code: '019ba000-0000-7000-8000-000000000a03',
  },
} as const;

/** The project that the runs of a campaign attack; of one that is not of the seed, the chat app. */
export function attackedProject(campaignId: string): string {
  const { projects, campaigns } = seedIds;
  if (campaignId === campaigns.supportMonthly) return projects.supportAssistant;
  return campaignId === campaigns.codeHelperJailbreak ? projects.codeHelper : projects.chatApp;
}
