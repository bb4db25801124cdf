import { defineAutomation } from 'gateway-autopilot';

/** What one stage does: the same document as a stage of `automation.config.ts`. */
export const automation = defineAutomation({
  gateway: { baseUrl: 'https://gateway.example.com' },
  timezone: 'Europe/Dublin',
  campaigns: {
    'chat-bot': {
      overlap: 'skip',
      runs: {
        nightly: {
          campaignRunIds: ['019ba000-0000-7000-8000-000000000301', '019ba000-0000-7000-8000-000000000302'],
          stopAfter: '8 hours',
          name: 'nightly {date}',
        },
      },
    },
  },
  schedules: [{ name: 'weeknights', start: 'nightly', at: 'cron(0 22 ? * MON-FRI *)', validFor: '30 minutes' }],
  datasets: [
    {
      prefix: 'datasets/',
      send: 'file',
      scannerId: '019ba000-0000-7000-8000-000000000702',
      scannerPackageId: '019ba000-0000-7000-8000-000000000602',
      check: 'prompt-label-csv',
    },
  ],
});
