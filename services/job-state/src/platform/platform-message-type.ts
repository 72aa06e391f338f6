import { type DescMessage, fromBinary, type Message } from '@bufbuild/protobuf';
import type { z } from 'zod';
import type { Transaction } from '../database/database.js';
import type { PlatformEffect } from './platform-effect.js';

/** Further ahead of our clock than this is a fault of the sender's clock. */
const AHEAD_MS = 3_600_000;
/** The most bytes of a body: more than the longest of every text and list come to. */
const BODY_BYTES = 1_048_576;
/** How many faults of a message are named. */
const NAMED_FAULTS = 20;

/** What every message tells. */
export interface PlatformCommand {
  readonly version: number;
  readonly occurredAt: Date;
}

/** A message of the platform that has the form of its contract. */
export interface WholeMessage {
  /** The full protobuf name. */
  readonly type: string;
  /** The id of what it is about: messages about one thing are recorded one after the other. */
  readonly thingId: string;
  readonly version: number;
  /** Whether every version is told, so that the oldest of several goes first, and not the newest. */
  readonly isFact: boolean;
  /** Gives it its effect, in the transaction that holds the lock of what it is about. */
  readonly record: (tx: Transaction, now: Date) => Promise<PlatformEffect>;
}

/** A message as it was read, or what is wrong with it. */
export type ReadMessage =
  | { readonly kind: 'whole'; readonly message: WholeMessage }
  | { readonly kind: 'malformed'; readonly reason: string };

/** One type of message of the platform: how it is read and recorded. */
export interface PlatformMessageType {
  readonly schema: DescMessage;
  /**
   * Reads a body. Says of a malformed one which fields are at fault, at most twenty, and never what they hold. An `occurredAt`
   * that is more than an hour ahead of `now` is malformed too, and so is a body of more than 1 MiB.
   */
  readonly read: (body: Uint8Array, now: Date) => ReadMessage;
}

/** Makes a type of message out of its contract, its form and what records it. */
export function platformMessageType<Command extends PlatformCommand>(definition: {
  readonly schema: DescMessage;
  /** The fields of the protobuf message by their JSON names, checked; gives the command. */
  readonly form: z.ZodType<Command>;
  /** The id of what it is about. */
  readonly thingId: (command: Command) => string;
  /** Absent: false. */
  readonly isFact?: boolean;
  readonly record: (tx: Transaction, command: Command, now: Date) => Promise<PlatformEffect>;
}): PlatformMessageType {
  const { schema, form, thingId, isFact = false, record } = definition;
  const { typeName: type } = schema;
  return {
    schema,
    read(body, now) {
      // Undecoded: two bytes can become an object.
      if (body.length > BODY_BYTES) {
        return { kind: 'malformed', reason: `the body has more than ${BODY_BYTES} bytes` };
      }
      let decoded: Message;
      try {
        decoded = fromBinary(schema, body);
      } catch {
        return { kind: 'malformed', reason: `the body is no ${type}` };
      }
      const { success, data: command, error } = form.safeParse(decoded);
      if (!success) {
        const faults = error.issues
          .slice(0, NAMED_FAULTS)
          .map((issue) => `${issue.path.join('.')} ${issue.message}`);
        return { kind: 'malformed', reason: `${type}: ${faults.join('; ')}` };
      }
      if (command.occurredAt.getTime() > now.getTime() + AHEAD_MS) {
        return { kind: 'malformed', reason: `${type}: occurredAt is more than 1 h ahead` };
      }
      return {
        kind: 'whole',
        message: {
          type,
          thingId: thingId(command),
          version: command.version,
          isFact,
          record: (tx, clockNow) => record(tx, command, clockNow),
        },
      };
    },
  };
}
