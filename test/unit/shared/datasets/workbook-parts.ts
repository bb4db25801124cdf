/** Workbooks as little as they can be, to be damaged. */
import { strToU8 } from 'fflate';

const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** A sheet whose header names both columns. */
export function sheetOf(rows: string): string {
  const header = ['prompt', 'label'].map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join('');
  return `<worksheet><sheetData><row r="1">${header}</row>${rows}</sheetData></worksheet>`;
}

/** The parts of a workbook of one sheet. */
export function workbookOf(sheet: string): Record<string, Uint8Array> {
  const targets = { worksheet: 'sheet.xml', sharedStrings: 'texts.xml', styles: 'styles.xml' };
  const links = Object.entries(targets).map(
    ([type, target]) => `<Relationship Id="${type}" Type="${office}/${type}" Target="${target}"/>`,
  );
  return {
    'xl/workbook.xml': strToU8('<workbook><sheets><sheet name="S" r:id="worksheet"/></sheets></workbook>'),
    'xl/_rels/workbook.xml.rels': strToU8(`<Relationships>${links.join('')}</Relationships>`),
    'xl/sheet.xml': strToU8(sheet),
  };
}
