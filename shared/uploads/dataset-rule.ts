/**
 * The rule of a key: the longest prefix that it starts with; `undefined`: no rule, so not for us.
 */
export function chooseRule<Rule extends { readonly prefix: string }>(
  rules: readonly Rule[],
  key: string,
): Rule | undefined {
  return rules
    .filter((rule) => key.startsWith(rule.prefix))
    .reduce<Rule | undefined>(
      (longest, rule) => (longest === undefined || rule.prefix.length > longest.prefix.length ? rule : longest),
      undefined,
    );
}

/** What the templates of a rule are filled from. */
export interface TemplateValues {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  /** With or without the quotes of HTTP. */
  readonly etag?: string;
}

/** Fills a template of a rule. A value that the object does not have is empty. */
export function fillTemplate(template: string, { bucket, key, versionId = '', etag = '' }: TemplateValues): string {
  const values: Readonly<Record<string, string>> = {
    bucket,
    key,
    stem: stemOf(key),
    versionId,
    etag: etag.replaceAll('"', ''),
  };
  return template.replaceAll(/\{(bucket|key|stem|versionId|etag)\}/g, (_match, name: string) => values[name] ?? '');
}

/** The file's name without folders and without its last extension. */
function stemOf(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}
