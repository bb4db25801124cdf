/** The places of a workbook's parts (ECMA-376 part 1, 18.2.20): by their relations, not by fixed names. */
import { walkXml } from './walk-xml.ts';

/** A sheet of cells. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Of its part. */
  readonly path: string;
}

/** What a workbook says of its parts. */
export interface WorkbookParts {
  readonly sheets: readonly Sheet[];
  readonly sharedTexts: string;
  readonly styles: string;
  readonly isFrom1904: boolean;
}

/** A workbook has some hundred. */
const mostParts = 10_000;

/**
 * Reads them.
 * @throws Error if there is no sheet of cells
 */
export function partsOf(unzip: (path: string) => Uint8Array): WorkbookParts {
  const listed: { readonly name: string; readonly isHidden: boolean; readonly id: string }[] = [];
  let isFrom1904 = false;
  walkXml(unzip('xl/workbook.xml'), {
    open(name, attribute) {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attribute('date1904') ?? '');
      if (name !== 'sheet' || listed.length >= mostParts) return;
      const isHidden = (attribute('state') ?? 'visible') !== 'visible';
      listed.push({ name: (attribute('name') ?? '').slice(0, 100), isHidden, id: attribute('id') ?? '' });
    },
  });
  const byId = new Map<string, { readonly type: string; readonly path: string }>();
  walkXml(unzip('xl/_rels/workbook.xml.rels'), {
    open(name, attribute) {
      if (name !== 'Relationship' || byId.size >= mostParts) return;
      const target = (attribute('Target') ?? '').slice(0, 1_000);
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
      const type = (attribute('Type') ?? '').slice(0, 1_000).split('/').at(-1) ?? '';
      byId.set((attribute('Id') ?? '').slice(0, 1_000), { type, path });
    },
  });
  const sheets = listed.flatMap(({ name, isHidden, id }) => {
    const { path, type = '' } = byId.get(id) ?? {};
    // A sheet of a chart or of a dialogue has no cells.
    return path === undefined || /(?:chart|dialog|macro)sheet$/i.test(type) ? [] : [{ name, isHidden, path }];
  });
  if (sheets.length === 0) throw new Error('it has no sheet');
  const pathOf = (wanted: string) => [...byId.values()].find(({ type }) => type === wanted)?.path ?? '';
  return { sheets, sharedTexts: pathOf('sharedStrings'), styles: pathOf('styles'), isFrom1904 };
}
