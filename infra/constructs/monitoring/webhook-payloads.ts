import type { CfnRule } from 'aws-cdk-lib/aws-events';

/** What people read, by e-mail or in a chat. `<field>` stands for a field of the event; each such field must hold our own words only. */
export interface Message {
  readonly lines: readonly string[];
  /** JSON path of each field, such as `$.detail.reason`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Where a message leads: a page for people, with the words that name it. */
export interface MessageLink {
  readonly title: string;
  readonly url: string;
}

/** Kinds of chat that get words; `json` gets the event itself. */
export type ChatKind = 'slack' | 'teams';

/**
 * Makes the request's body for a chat. EventBridge puts the values of fields into it without escaping them ("Input transformation",
 * EventBridge User Guide: reserved JSON characters), so a quote in a field would break the body.
 */
export function chatPayload(kind: ChatKind, message: Message, link: MessageLink): CfnRule.InputTransformerProperty {
  const body = kind === 'slack' ? slackBody(message, link) : teamsBody(message, link);
  return { inputPathsMap: message.fields, inputTemplate: JSON.stringify(body) };
}

/**
 * Slack shows the blocks, and `text` in its notifications (Slack, "Sending messages using incoming webhooks"). The address stands bare, since
 * Slack's own form of a link begins with `<`, which EventBridge reads as the name of a field.
 */
export function slackBody({ lines: [title = '', ...lines] }: Message, link: MessageLink) {
  const words = [`*${title}*`, ...lines, `${link.title}: ${link.url}`].join('\n');
  return { text: title, blocks: [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: words } }] };
}

/** An Adaptive Card in the envelope that a workflow of Teams takes ("Create Incoming Webhooks", Microsoft Learn). */
export function teamsBody({ lines: [title = '', ...lines] }: Message, link: MessageLink) {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard' as const,
          version: '1.4' as const, // the newest that every client of Teams shows
          body: [{ ...textBlock(title), weight: 'Bolder' as const }, ...lines.map(textBlock)],
          actions: [{ type: 'Action.OpenUrl' as const, title: link.title, url: link.url }],
        },
      },
    ],
  };
}

function textBlock(text: string) {
  return { type: 'TextBlock' as const, text, wrap: true };
}
