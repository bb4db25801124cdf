import type { TopicSubscription } from '#shared/aws/topic-subscriptions.ts';
import type { Finding } from './finding.ts';
import type { OperatorDeps } from '../operator-deps.ts';

/** Who hears of alarms. Pure. */
export function alarmFindings(
  subscriptions: readonly TopicSubscription[],
  target: Pick<OperatorDeps['target'], 'kind'>,
): readonly Finding[] {
  const subject = 'alarms';
  const endpoints = subscriptions.map(({ endpoint }) => endpoint).join(', ');
  if (target.kind === 'local') {
    const says = `no message leaves this machine${endpoints === '' ? '' : `; deployed, they go to ${endpoints}`}`;
    return [{ subject, state: 'unknown', says }];
  }
  if (subscriptions.length === 0) {
    return [
      {
        subject,
        state: 'warning',
        says: 'nobody is told of them',
        next: "notify: { emails: ['…'] } in automation.config.ts and deploy",
      },
    ];
  }
  const waiting = subscriptions.filter(({ isConfirmed }) => !isConfirmed);
  if (waiting.length === 0) return [{ subject, state: 'ok', says: `go to ${endpoints}` }];
  return waiting.map(({ endpoint }) => ({
    subject,
    state: 'problem',
    says: `${endpoint} has not confirmed, and hears nothing`,
    next: 'confirm in the mail "AWS Notification - Subscription Confirmation", which is good for two days; then subscribe the address to the topic again',
  }));
}
