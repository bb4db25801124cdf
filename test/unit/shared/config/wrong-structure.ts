/** What it is, where it is put, and the problem that is to be named. */
export type WrongThing = readonly [what: string, path: string, value: unknown, problem: RegExp];

/** One wrong thing each in the structure of a document: keys, sections and types. */
export const wrongStructure: readonly WrongThing[] = [
  ['a misspelt key', 'timezon', 'UTC', /^timezon: is not a key here; did you mean "timezone"\?/],
  [
    'a misspelt nested key',
    'schedules[0].validfor',
    '1 hour',
    /^schedules\[0\]\.validfor: .*did you mean "validFor"\?/,
  ],
  [
    'a missing section',
    'campaigns',
    undefined,
    /^campaigns: is missing: an object with each campaign under its name is wanted, such as \{/,
  ],
  [
    'a missing gateway',
    'gateway',
    undefined,
    /^gateway: is missing: an object with "baseUrl" and "status" is wanted, such as \{/,
  ],
  [
    'a notice that is a text',
    'notify',
    'soc@example.com',
    /^notify: is "soc@example\.com" where an object with "emails", "webhooks", "silentAfter" or "silentAlso" is wanted/,
  ],
  [
    'a schedule that is a text',
    'schedules[0]',
    'cron(0 22 ? * * *)',
    /^schedules\[0\]: .* where an object with "name" and "at" is wanted, such as \{/,
  ],
  // What stood under a bad name was not looked at, and the sentence about a list said that it is a list.
  [
    'a mistake under a name that cannot be one',
    'campaigns',
    { 'chat bot': { campaignId: 7, runs: {} } },
    /^campaigns\.chat bot\.campaignId: is 7 where a text is wanted/,
  ],
  [
    'a locked field that is no field of a dataset',
    'datasets[0].locked',
    ['file'],
    /^datasets\[0\]\.locked\[0\]: is "file" where one of "fileId"/m,
  ],
  [
    'a lock that is a word',
    'datasets[0].locked',
    'fileId',
    /^datasets\[0\]\.locked: is "fileId" where true or a list is wanted/m,
  ],
  ['tags that are a list', 'deployment', { tags: [] }, /^deployment\.tags: is a list where an object is wanted/m],
  [
    'a cron of years that are over',
    'schedules[0].at',
    'cron(0 22 * * ? 2020)',
    /^schedules\[0\]\.at: "cron\(0 22 \* \* \? 2020\)" is over .*never fires/m,
  ],
  ['a wrong type', 'schedules[0].enabled', 'yes', /^schedules\[0\]\.enabled: is "yes" where true or false is wanted/],
  [
    'a wrong choice',
    'campaigns.chat.overlap',
    'skp',
    /^campaigns\.chat\.overlap: .*"skip", "stop-previous", "allow".*did you mean "skip"/,
  ],
];
