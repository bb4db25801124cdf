/**
 * What a queue function is asked instead of being sent messages: its part of the configuration. So whoever asks reads what is deployed, the
 * same in AWS and on one machine, and needs no permission beyond the invocation. No secret is ever in it.
 */
export const configQuestion = { ask: 'config' } as const;
