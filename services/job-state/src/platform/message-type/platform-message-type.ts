import { type DescMessage, fromBinary, type Message } from '@bufbuild/protobuf';
import { z } from 'zod';
import type { Transaction } from '../../database/database.js';

/** A later instant is an error of the sender's clock. */
const AHEAD_MS = 3_600_000;
/** Maximum size of a body in bytes: more than the longest texts and lists together. */
const BODY_BYTES = 1_048_576;
/** Maximum number of violations in the reason. */
const MAX_VIOLATIONS = 20;

export interface PlatformCommand {
  readonly version: number;
  readonly occurredAt: Date;
}

/** Effect of a platform message. Only `applied` changes anything beyond the record of messages. */
export type PlatformEffect =
  /** `appeared`: ids of resources that were created or changed: other messages may wait for them. */
  | { readonly kind: 'applied'; readonly appeared?: readonly string[] }
  /** Harmless: repeated, or older than the state in effect. */
  | { readonly kind: 'ignored'; readonly why: string }
  /**
   * It arrived before its prerequisite, which may still come.
   *
   * `missing` is the id of the prerequisite, or of the membership that has the requested email address. `appeared`: ids of
   * resources that changed because this message waits.
   */
  | { readonly kind: 'early'; readonly missing: string; readonly appeared?: readonly string[] }
  /** It contradicts recorded data; a person must investigate. The reason has ids and states, never personal data. */
  | { readonly kind: 'refused'; readonly reason: string };

/** A platform message that matches its contract. */
export interface WholeMessage {
  /** The full protobuf name. */
  readonly type: string;
  /** The id of its resource. Messages about one resource are recorded one at a time. */
  readonly resourceId: string;
  /** Ids to lock before it is recorded: of its resource, and of others that it may create. */
  readonly locks: readonly string[];
  readonly version: number;
  /** Whether every version is published. If so, the oldest of several goes first, and not the newest. */
  readonly isFact: boolean;
  /** Whether it locks more than its own resource, so that it shares no transaction with other messages. */
  readonly isAlone: boolean;
  /** Applies the message, in the transaction that holds the lock of its resource. */
  readonly record: (tx: Transaction, now: Date) => Promise<PlatformEffect>;
}

export type ReadMessage =
  | { readonly kind: 'whole'; readonly message: WholeMessage }
  | { readonly kind: 'malformed'; readonly reason: string };

/** One type of platform message: its parser and its recorder. */
export interface PlatformMessageType {
  readonly schema: DescMessage;
  /**
   * Parses a body.
   *
   * A malformed body is reported by its violating fields, at most twenty, and never their values. An `occurredAt` more than an
   * hour ahead of `now` is malformed too, and so is a body of more than 1 MiB.
   */
  readonly read: (body: Uint8Array, now: Date) => ReadMessage;
}

/** Names a field as the contract does. A `oneof`, which is an object of case and value here, has the name of its fields there. */
function fieldName(
  schema: DescMessage,
  message: Message,
  [first, part, ...rest]: readonly PropertyKey[],
): string {
  const oneof = schema.oneofs.find(({ localName }) => localName === first);
  const chosen = z
    .object({ case: z.string() })
    .safeParse(Object.entries(message).find(([name]) => name === first)?.[1]);
  const path =
    oneof === undefined
      ? [first, part, ...rest]
      : part === 'value' && chosen.success
        ? [chosen.data.case, ...rest]
        : [oneof.fields.map(({ jsonName }) => jsonName).join(' | ')];
  return path
    .filter((each) => each !== undefined)
    .map(String)
    .join('.');
}

export function platformMessageType<Command extends PlatformCommand>(definition: {
  readonly schema: DescMessage;
  /** Validates the fields of the protobuf message by their JSON names and returns the command. */
  readonly form: z.ZodType<Command>;
  readonly resourceId: (command: Command) => string;
  /** Ids of other resources that it may create. Absent: none. */
  readonly creates?: (command: Command) => readonly string[];
  /** Absent: false. */
  readonly isFact?: boolean;
  /** Absent: false. */
  readonly isAlone?: boolean;
  readonly record: (tx: Transaction, command: Command, now: Date) => Promise<PlatformEffect>;
}): PlatformMessageType {
  const { schema, form, resourceId, creates, isFact = false, isAlone = false, record } = definition;
  const { typeName: type } = schema;
  return {
    schema,
    read(body, now) {
      // Checked before decoding: two bytes can become an object.
      if (body.length > BODY_BYTES) {
        return { kind: 'malformed', reason: `the body has more than ${BODY_BYTES} bytes` };
      }
      let decoded: Message;
      try {
        decoded = fromBinary(schema, body);
      } catch {
        return { kind: 'malformed', reason: `the body is not a ${type}` };
      }
      const { success, data: command, error } = form.safeParse(decoded);
      if (!success) {
        const violations = error.issues
          .slice(0, MAX_VIOLATIONS)
          .map((issue) => `${fieldName(schema, decoded, issue.path)} ${issue.message}`);
        return { kind: 'malformed', reason: `${type}: ${violations.join('; ')}` };
      }
      if (command.occurredAt.getTime() > now.getTime() + AHEAD_MS) {
        return { kind: 'malformed', reason: `${type}: occurredAt is more than 1 h ahead` };
      }
      return {
        kind: 'whole',
        message: {
          type,
          resourceId: resourceId(command),
          locks: [resourceId(command), ...(creates?.(command) ?? [])],
          version: command.version,
          isFact,
          isAlone,
          record: (tx, clockNow) => record(tx, command, clockNow),
        },
      };
    },
  };
}
