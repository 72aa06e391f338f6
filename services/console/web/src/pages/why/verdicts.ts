import type { EVENT_VERDICTS } from '@partner/proto-contracts/resources/event/event';
import type { Look } from '../../parts/data.js';

/** Outcome of an event for a subscription. */
export type Verdict = (typeof EVENT_VERDICTS)[number];

/** A verdict in plain words. */
interface VerdictText extends Look {
  readonly why: string;
  /** Advice; undefined if no action is needed. */
  readonly advice?: string;
}

/** Each verdict in plain words, with advice. */
export const VERDICT_TEXTS: Readonly<Record<Verdict, VerdictText>> = {
  queued: {
    tone: 'good',
    label: 'Matched',
    why: 'The webhook is subscribed to this event, so it was sent to it.',
  },
  paused: {
    tone: 'warn',
    label: 'Webhook paused',
    why: 'The webhook was paused when the event occurred.',
    advice: 'Activate the webhook and choose “Also send missed events”.',
  },
  not_subscribed: {
    tone: 'quiet',
    label: 'Not subscribed',
    why: 'The webhook is not subscribed to this event.',
    advice:
      'Add the event or its group to the webhook, to receive future ones. A webhook receives no event about itself.',
  },
  schema_version: {
    tone: 'quiet',
    label: 'Other version',
    why: 'The webhook uses another payload version than this event.',
    advice: 'Change the webhook’s payload version when your server supports it.',
  },
  class: {
    tone: 'quiet',
    label: 'Not available to your company',
    why: 'Your company cannot receive this event.',
    advice: 'See the event catalogue for the available events.',
  },
  created_later: {
    tone: 'quiet',
    label: 'Created later',
    why: 'The webhook was created after the event occurred.',
    advice: 'Read the current state of the resource through the API.',
  },
  deleted: {
    tone: 'quiet',
    label: 'Webhook deleted',
    why: 'The webhook had been deleted.',
  },
  no_longer_kept: {
    tone: 'quiet',
    label: 'Past retention',
    why: 'The result of this event for this webhook is past its retention.',
  },
};
