import { type Document, isPrintable, jsonText } from '../output.js';
import type { FieldFilter } from '@partner/proto-contracts/resources/subscription/field-filter';
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
      };
    }
    case 'change': {
      const { id, description } = step.webhook;
      return { ...of, id, description, changes: changesOf(step) };
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
        ...changesOf(step).map(({ field, from, to }) => `${field}: ${shown(from)} -> ${shown(to)}`),
        ...(step.change.url !== undefined && step.webhook.state === 'active'
          ? ['this pauses it until the new URL is tested and it is activated']
          : []),
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

const FIELDS = [
  'url',
  'events',
  'description',
  'schemaVersion',
  'deliveriesPerSecond',
  'fields',
  'ordered',
] as const;

function changesOf({ webhook, change }: Extract<Step, { readonly kind: 'change' }>) {
  return FIELDS.flatMap((field) => {
    const to = change[field];
    return to === undefined ? [] : [{ field, from: webhook[field], to }];
  });
}

function shown(value: string | number | boolean | null | readonly string[] | FieldFilter): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return isPrintable(value) ? value : jsonText(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isList(value)
    ? value.join(', ')
    : Object.entries(value)
        .map(([pattern, fields]) => `${pattern} (${fields.join(', ')})`)
        .join(', ');
}

function isList(value: readonly string[] | FieldFilter): value is readonly string[] {
  return Array.isArray(value);
}
