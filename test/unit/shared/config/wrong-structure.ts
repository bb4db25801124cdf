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
  ['a wrong type', 'schedules[0].enabled', 'yes', /^schedules\[0\]\.enabled: is "yes" where true or false is wanted/],
  [
    'a wrong choice',
    'campaigns.chat.overlap',
    'skp',
    /^campaigns\.chat\.overlap: .*"skip", "stop-previous", "allow".*did you mean "skip"/,
  ],
];
