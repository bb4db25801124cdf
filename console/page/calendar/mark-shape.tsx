import type { Mark } from './marks.ts';

/** The shape of a mark, around its own zero. Each outcome has a shape of its own, so no colour is needed to tell them apart. */
export function MarkShape({ mark: { outcome, action } }: { readonly mark: Mark }) {
  return (
    <>
      <rect class="target" x="-9" y="-9" width="18" height="18" />
      <Shape outcome={outcome} action={action} />
    </>
  );
}

function Shape({ outcome, action }: Pick<Mark, 'outcome' | 'action'>) {
  switch (outcome) {
    case 'skipped':
      return <path class="shape" d="M0 -6 L6 0 L0 6 L-6 0 Z" />;
    case 'deferred':
      return <path class="shape hollow" d="M0 -6 L6 0 L0 6 L-6 0 Z" />;
    case 'parked':
      return <path class="shape" d="M0 -6 L6 5 L-6 5 Z" />;
    case 'applied':
      return action === 'stop' ? (
        <rect class="shape" x="-4" y="-4" width="8" height="8" />
      ) : (
        <circle class="shape" r="5" />
      );
    default:
      return <circle class="shape hollow" r="4" />;
  }
}
