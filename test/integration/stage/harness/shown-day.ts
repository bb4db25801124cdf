/** The day of an instant as the commands of a stage in UTC show it, such as "Mon 30 Nov". */
export function shownDay(instant: string): string {
  const [weekday = '', day = '', month = ''] = new Date(instant).toUTCString().split(/,? /);
  return `${weekday} ${Number(day)} ${month}`;
}
