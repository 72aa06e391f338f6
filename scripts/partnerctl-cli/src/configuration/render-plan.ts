import { type Document, isPrintable, jsonText } from '../output.js';
import {
  changedFields,
  pausesWebhook,
  valueText,
} from '@partner/proto-contracts/resources/webhook-proposal/plan-webhooks';
import type { ConfigurationPlan, Step } from './plan-configuration.js';

export type Outcomes = ReadonlyMap<
  Step,
  { readonly outcome: 'done' | 'failed' | 'not done'; readonly id?: string }
>;

export function stepDocument(step: Step): Document {
  const of = { company: step.company.id, step: step.kind };
  switch (step.kind) {
    case 'create': {
      const {
        url,
        events,
        description = '',
        schemaVersion,
        deliveriesPerSecond,
        fields,
        ordered,
        asymmetricSignature,
      } = step.wanted;
      return {
        ...of,
        description,
        url,
        events,
        ...(schemaVersion !== undefined && { schemaVersion }),
        ...(deliveriesPerSecond !== undefined && { deliveriesPerSecond }),
        ...(fields !== undefined && { fields }),
        ...(ordered !== undefined && { ordered }),
        ...(asymmetricSignature !== undefined && { asymmetricSignature }),
      };
    }
    case 'change': {
      const { id, description } = step.webhook;
      return { ...of, id, description, changes: changedFields(step) };
    }
    case 'unlisted':
    case 'delete': {
      const { id, description, url, state } = step.webhook;
      return { ...of, id, description, url, state };
    }
    case 'contact':
      return { ...of, from: step.former, to: step.email };
  }
}

export function renderPlan({ steps, unchanged }: ConfigurationPlan, outcomes: Outcomes): string {
  const lines = steps.flatMap((step, index) => {
    const { id, name } = step.company;
    const isFirst = steps[index - 1]?.company.id !== id;
    const [line = '', ...details] = linesOf(step);
    const applied = outcomes.get(step);
    const end = applied === undefined ? '' : `: ${[applied.outcome, applied.id].filter(Boolean).join(', ')}`;
    return [
      ...(isFirst ? [`${index === 0 ? '' : '\n'}${name} (${id})`] : []),
      `  ${line}${end}`,
      ...details.map((detail) => `      ${detail}`),
    ];
  });
  const count = (...kinds: readonly Step['kind'][]) =>
    steps.filter(({ kind }) => kinds.includes(kind)).length;
  const counts = [
    `${count('create')} to create`,
    `${count('change', 'contact')} to change`,
    `${count('delete')} to delete`,
    `${count('unlisted')} not in the file`,
    `${unchanged} unchanged`,
  ];
  return `${lines.map((line) => `${line}\n`).join('')}${lines.length === 0 ? '' : '\n'}${counts.join(', ')}\n`;
}

function linesOf(step: Step): readonly string[] {
  switch (step.kind) {
    case 'create': {
      const { description, url, events } = step.wanted;
      return [`+ create "${description ?? ''}"`, `url: ${url}`, `events: ${events.join(', ')}`];
    }
    case 'change':
      return [
        `~ change ${step.webhook.id} "${step.webhook.description}"`,
        ...changedFields(step).map(({ field, from, to }) => `${field}: ${shown(from)} -> ${shown(to)}`),
        ...(pausesWebhook(step) ? ['this pauses it until the new URL is tested and it is activated'] : []),
      ];
    case 'delete':
      return [`- delete ${nameOf(step)}`, 'this cancels its unfinished deliveries'];
    case 'unlisted':
      return [`! not in the file: ${nameOf(step)}`];
    case 'contact':
      return [
        `~ technical contact: ${shown(step.former)} -> ${step.email}, once the link that is mailed to it is confirmed`,
      ];
  }
}

function nameOf({ webhook }: Extract<Step, { readonly kind: 'unlisted' | 'delete' }>): string {
  return `${webhook.id} "${webhook.description}", ${webhook.state}, ${webhook.url}`;
}

function shown(value: Parameters<typeof valueText>[0]): string {
  const text = valueText(value);
  return typeof value !== 'string' || isPrintable(text) ? text : jsonText(text);
}
