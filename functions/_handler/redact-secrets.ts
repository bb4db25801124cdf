/**
 * Makes what takes secrets out of a text.
 * @param secrets - read anew for each text: a token is known only once it was fetched
 */
export function createSecretsRedactor(secrets: ReadonlySet<string>): (text: string) => string {
  return (text) => {
    let redacted = text;
    for (const secret of secrets) {
      if (secret !== '' && redacted.includes(secret)) redacted = redacted.replaceAll(secret, '***');
    }
    return redacted;
  };
}
