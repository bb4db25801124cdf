import type { ResolvedDatasetRule } from '../config/resolve/resolved-automation.ts';

/** What a rule takes, by the key of an object. */
type TakingRule = Pick<ResolvedDatasetRule, 'prefix' | 'only'>;

/**
 * The rule of a key: the longest prefix that it starts with; `undefined`: no rule takes it, so it is not for us.
 */
export function chooseRule<Rule extends TakingRule>(rules: readonly Rule[], key: string): Rule | undefined {
  const rule = longestPrefix(rules, key);
  return rule === undefined || notTaken(rule, key) !== undefined ? undefined : rule;
}

/** Why the rule with a prefix of a key does not take it; `undefined`: it does, or there is none. */
export function whyNotTaken(rules: readonly TakingRule[], key: string): string | undefined {
  const rule = longestPrefix(rules, key);
  return rule && notTaken(rule, key);
}

function longestPrefix<Rule extends TakingRule>(rules: readonly Rule[], key: string): Rule | undefined {
  const matching = rules.filter(({ prefix }) => key.startsWith(prefix));
  return matching.toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}

/** Files that systems and tools leave beside others: marks of folders, locks, backups and parts of a download. */
const leftover =
  /^(?:\.(?:DS_Store|_.*|git.*|~lock.*)|Thumbs\.db|desktop\.ini|_SUCCESS|~\$.*|.*~|.*\.(?:bak|crc|crdownload|orig|part|partial|swp|tmp))$/i;

function notTaken({ prefix, only }: TakingRule, key: string): string | undefined {
  const name = key.slice(key.lastIndexOf('/') + 1);
  if (leftover.test(name)) return 'its name is that of a leftover of a system or a tool';
  if (only === undefined || only.some((end) => name.toLowerCase().endsWith(end.toLowerCase()))) return undefined;
  return `the rule for ${prefix} takes only ${only.join(', ')}`;
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
