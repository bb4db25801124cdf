/** What the file means, by the options of `autopilot check`. */
export type Mapping = Readonly<Partial<Record<keyof typeof mappingWords, string>>>;

const mappingWords = {
  'prompt-column': 'Column of the prompts',
  'label-column': 'Column of the labels',
  true: 'Words for true',
  false: 'Words for false',
  label: 'One label for all rows',
  sheet: 'Sheet of a workbook',
} as const;
const mappingNames = ['prompt-column', 'label-column', 'true', 'false', 'label', 'sheet'] as const;

/** Fields for what the file means; folded, since most files need none. */
export function MappingFields({
  mapping,
  change,
}: {
  readonly mapping: Mapping;
  readonly change: (mapping: Mapping) => void;
}) {
  return (
    <details>
      <summary>Other columns and words</summary>
      <div class="form">
        {mappingNames.map((name) => (
          <label key={name}>
            {mappingWords[name]}
            <input
              value={mapping[name] ?? ''}
              onChange={(event) => change({ ...mapping, [name]: event.currentTarget.value || undefined })}
            />
          </label>
        ))}
      </div>
    </details>
  );
}

/** The same as options of a command. */
export function optionsOfMapping(mapping: Mapping): readonly string[] {
  return mappingNames.flatMap((name) => (mapping[name] === undefined ? [] : [`--${name}`, mapping[name]]));
}
