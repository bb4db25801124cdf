/** Which styles of a workbook show a number as a date. */
import { walkXml } from './walk-xml.ts';

/** Formats of dates and times that a workbook need not spell out (ECMA-376 part 1, 18.8.30). */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3: cell formats, and the characters of a number format. */
const [mostStyles, longestFormat] = [65_490, 255];

/** By the place of a style: whether it shows a number as a date. */
export function readDateStyles(xml: Uint8Array): readonly boolean[] {
  const formats = new Map<number, boolean>();
  const styles: boolean[] = [];
  walkXml(xml, {
    open(name, attribute, path) {
      if (name === 'numFmt' && formats.size < mostStyles)
        formats.set(Number(attribute('numFmtId')), showsDate(attribute('formatCode') ?? ''));
      else if (name === 'xf' && path.includes('cellXfs') && styles.length < mostStyles) {
        const id = Number(attribute('numFmtId') ?? 0);
        styles.push(formats.get(id) ?? isBuiltInDate(id));
      }
    },
  });
  return styles;
}

/** Quoted texts, colours and escaped characters are not part of a format. */
function showsDate(format: string): boolean {
  return format.length <= longestFormat && /[dmyhs]/i.test(format.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
}
