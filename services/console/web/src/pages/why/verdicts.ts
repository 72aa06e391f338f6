import type { EVENT_VERDICTS } from '@partner/proto-contracts/public-api/event-trail';
import type { Tone } from '../../tones.js';

/** What became of an event for a subscription. */
export type Verdict = (typeof EVENT_VERDICTS)[number];

/** A verdict for somebody who is no engineer. */
export interface VerdictText {
  readonly tone: Tone;
  readonly label: string;
  readonly why: string;
  /** What to do about it; undefined when there is nothing to do. */
  readonly advice?: string;
}

/** Every verdict in plain words, with what to do. */
export const VERDICT_TEXTS: Readonly<Record<Verdict, VerdictText>> = {
  queued: {
    tone: 'good',
    label: 'Matched',
    why: 'The webhook is subscribed to this event, so it was sent to it.',
  },
  paused: {
    tone: 'warn',
    label: 'Webhook paused',
    why: 'The webhook was paused when this happened. A paused webhook gets no events.',
    advice: 'Activate the webhook, and choose there to catch up on the events of the pause.',
  },
  not_subscribed: {
    tone: 'quiet',
    label: 'Not subscribed',
    why: 'The webhook is not subscribed to this event.',
    advice: 'Add the event, or its whole group, to the webhook. That counts for events from then on.',
  },
  schema_version: {
    tone: 'quiet',
    label: 'Other version',
    why: 'The webhook has chosen another version of the payload than the one that this event came in.',
    advice: 'Change the schema version of the webhook once your server understands the other one.',
  },
  class: {
    tone: 'quiet',
    label: 'Not for your company',
    why: 'A company of your kind does not get this event.',
    advice: 'Look into the event catalogue for the events that your company can have.',
  },
  created_later: {
    tone: 'quiet',
    label: 'Created later',
    why: 'The webhook was created after this happened. It gets events from its creation on.',
    advice: 'Read the present state of the resource through the API instead.',
  },
  deleted: {
    tone: 'quiet',
    label: 'Webhook deleted',
    why: 'The webhook had been deleted.',
  },
  no_longer_kept: {
    tone: 'quiet',
    label: 'No longer kept',
    why: 'It is too long ago: what became of the event for this webhook is no longer kept.',
  },
};
