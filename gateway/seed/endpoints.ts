/** The endpoints that projects have replaced, as an older integration would still list them. */
import type { Endpoint } from '../resources.ts';
import { seedIds } from '../seed-ids.ts';
import { entry, provider } from './config-entries.ts';

const { endpoints, groups, chatbots, scannerPackages: packages, scanners } = seedIds;
const providers = [provider('provider-main', 'Main model', { default: 'true' })];

/** Three endpoints in two groups. */
export const seedEndpoints: readonly Endpoint[] = [
  {
    chatbotId: chatbots.chat,
    config: {
      packages: [entry(packages.promptInjection, '2025-11'), entry(packages.pii, '2025-11')],
      providerRouting: 'default',
      providers,
      scanners: [entry(scanners.promptInjection, '2025-11'), entry(scanners.pii, '2025-11')],
    },
    createdAt: '2025-08-04T07:00:00.000Z',
    groupId: groups.customerFacing,
    id: endpoints.chatWeb,
    name: 'chat-web',
  },
  {
    chatbotId: chatbots.chat,
    config: {
      packages: [entry(packages.promptInjection, '2025-11', { enabled: 'false' })],
      providerRouting: 'default',
      providers,
      scanners: [entry(scanners.promptInjection, '2025-11', { enabled: 'false' })],
    },
    createdAt: '2025-08-18T07:00:00.000Z',
    groupId: groups.customerFacing,
    id: endpoints.chatMobile,
    name: 'chat-mobile',
  },
  {
    chatbotId: chatbots.support,
    config: {
      packages: [entry(packages.jailbreak, '2025-11')],
      providerRouting: 'default',
      providers,
      scanners: [entry(scanners.jailbreak, '2025-11')],
    },
    createdAt: '2025-09-01T07:00:00.000Z',
    groupId: groups.engineering,
    id: endpoints.supportDesk,
    name: 'support-desk',
  },
];
