/**
 * Makes a client when it is first needed: a start that sends nothing pays for no sender (docs/performance.md).
 * @example createQueue(lazily(createSqsClient), env.COMMANDS_QUEUE_URL)
 */
export function lazily<Client>(make: () => Client): () => Client {
  let made: Client | undefined;
  return () => (made ??= make());
}
