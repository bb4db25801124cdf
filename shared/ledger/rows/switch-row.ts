import type { LedgerRowBase } from './ledger-row.ts';

/** What a switch holds back: every start of the stage, those of one campaign, or those that one schedule asks for. */
export type SwitchScope = 'stage' | 'campaign' | 'schedule';

/** A freeze or a pause, said by a person. Off, the row stays as the record of who lifted it. */
export interface SwitchRow extends LedgerRowBase {
  readonly kind: 'switch';
  readonly scope: SwitchScope;
  /** The campaign or the schedule; of the stage `stage`. */
  readonly name: string;
  readonly isOn: boolean;
  /** Who switched it last. */
  readonly by: string;
  readonly reason: string;
  readonly at: string;
}
