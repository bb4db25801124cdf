import type { ComponentChildren } from 'preact';
import { Lines } from '../words/outcome.tsx';
import { blocksOf, spansOf, type Block } from './markdown-blocks.ts';

/**
 * A section of the runbook: headings, lists, code, quotations and plain paragraphs become elements.
 * Everything else stays text.
 */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div class="markdown">
      {blocksOf(text).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <h3>
          <Spans text={block.text} />
        </h3>
      );
    case 'code':
      return <Lines text={block.text} />;
    case 'list':
      return (
        <ul>
          {block.items.map((item, index) => (
            <li key={index}>
              <Spans text={item} />
            </li>
          ))}
        </ul>
      );
    case 'quotation':
      return (
        <blockquote>
          <Spans text={block.text} />
        </blockquote>
      );
    case 'paragraph':
      return (
        <p>
          <Spans text={block.text} />
        </p>
      );
  }
}

function Spans({ text }: { readonly text: string }): ComponentChildren {
  return spansOf(text).map(({ kind, text: words }, index) => {
    if (kind === 'code') return <code key={index}>{words}</code>;
    return kind === 'strong' ? <strong key={index}>{words}</strong> : words;
  });
}
