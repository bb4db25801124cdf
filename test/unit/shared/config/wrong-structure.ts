/** What it is, where it is put, and the problem that is to be named. */
export type WrongThing = readonly [what: string, path: string, value: unknown, problem: RegExp];

/** One wrong thing each in the structure of a document (keys, sections and types), and in the rules of an account. */
export const wrongStructure: readonly WrongThing[] = [
  [
    'the field that shows a start',
    'campaigns.chat.confirm',
    'runCount',
    /^campaigns\.chat\.confirm: is "runCount" where true or false is wanted/,
  ],
  [
    'one list of texts for starts and stops',
    'gateway.alreadyInState',
    ['already stopped'],
    /^gateway\.alreadyInState: is a list where an object with "start" or "stop" is wanted, such as \{ stop: \['already/,
  ],
  [
    'a preserve that is a number',
    'campaigns.chat.runs.smoke.preserve',
    1,
    /preserve: is 1 where true or false or a text/,
  ],
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
  ['a missing gateway', 'gateway', undefined, /^gateway: is missing: an object with "baseUrl" is wanted, such as \{/],
  [
    'a notice that is a text',
    'notify',
    'soc@example.com',
    /^notify: is "soc@example\.com" where an object with "emails", "webhooks", "silentAfter", "silentAlso", "runIdsLow" or "also" is wanted/,
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
  [
    'no subnet',
    'deployment.vpc',
    { subnetIds: [], securityGroupIds: ['sg-0a1b2c3d'] },
    /^deployment\.vpc\.subnetIds: is empty/,
  ],
  [
    'no security group',
    'deployment.vpc',
    { subnetIds: ['subnet-0a1b2c3d'] },
    /^deployment\.vpc\.securityGroupIds: is missing/,
  ],
  [
    'a subnet by its name',
    'deployment.vpc',
    { subnetIds: ['private-a'], securityGroupIds: ['sg-0a1b2c3d'] },
    /^deployment\.vpc\.subnetIds\[0\]: "private-a" is not the id of a subnet, such as "subnet-/,
  ],
  [
    'a boundary by its name',
    'deployment.permissionsBoundary',
    'team-boundary',
    /^deployment\.permissionsBoundary: "team-boundary" is not the ARN of a policy/,
  ],
  [
    'a bucket by its ARN',
    'deployment.uploadsBucket',
    { name: 'arn:aws:s3:::team-datasets' },
    /^deployment\.uploadsBucket\.name: .*is not the name of a bucket/,
  ],
  [
    'a key by its alias',
    'deployment.uploadsBucket',
    { name: 'team-datasets', keyArn: 'alias/team' },
    /^deployment\.uploadsBucket\.keyArn: "alias\/team" is not the ARN of a key \(not of its alias\)/,
  ],
  ['a tag of AWS', 'deployment.tags', { 'aws:team': 'x' }, /^deployment\.tags\.aws:team: cannot be a tag/],
  ['a tag with a strange value', 'deployment.tags', { team: 'a;b' }, /^deployment\.tags\.team: has a value/],
  ['one tag in two cases', 'deployment.tags', { team: 'a', Team: 'b' }, /^deployment\.tags\.Team: .*in another case/],
  [
    'more tags than AWS takes',
    'deployment.tags',
    Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`tag-${index}`, 'x'])),
    /^deployment\.tags: has 51 tags; AWS takes 50/,
  ],
];
