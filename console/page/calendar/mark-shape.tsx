import type { Mark } from '../../nights/marks.ts';

/** The shape of a mark, around its own zero. Each kind of end has a shape of its own, so no colour is needed to tell them apart. */
export function MarkShape({ mark }: { readonly mark: Mark }) {
  return (
    <>
      <rect class="target" x="-12" y="-12" width="24" height="24" />
      <Shape {...mark} />
    </>
  );
}

/** The same without the room that a finger needs. */
export function Shape({ action, tone, isDeferred }: Pick<Mark, 'action' | 'tone' | 'isDeferred'>) {
  if (tone === 'bad') return <path class="shape" d="M0 -6 L6 5 L-6 5 Z" />;
  if (isDeferred || tone === 'warn')
    return <path class={isDeferred ? 'shape hollow' : 'shape'} d="M0 -6 L6 0 L0 6 L-6 0 Z" />;
  if (action === 'stop') return <rect class="shape" x="-4" y="-4" width="8" height="8" />;
  return <circle class={tone === 'good' ? 'shape' : 'shape hollow'} r="5" />;
}
