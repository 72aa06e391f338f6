import { randomUUID } from 'node:crypto';
import { type DescMessage, fromJson, type Message, toBinary, toJson } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { Argument } from '@commander-js/extra-typings';
import { PLATFORM } from '@partner/proto-contracts/topology';
import { z } from 'zod';
import { newId } from '@partner/kernel/process/ids';
import { type CommandContext, topCommand, subcommand } from '../command-context.js';
import { OperatorError, wrongUsage } from '../exit-codes.js';
import { columns, type Json, jsonText, renderTable } from '../output.js';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import {
  exampleOf,
  fieldType,
  ID_PREFIXES,
  missingFields,
  platformType,
  wrongIds,
} from '../platform-types.js';

/** Resources whose ids the platform creates; the service creates those of leads. */
const PLATFORM_PREFIXES = ID_PREFIXES.map(([, prefix]) => prefix).filter((prefix) => prefix !== 'lead');

/** Maximum length in AMQP. */
const MESSAGE_ID_BYTES = 255;

export function platformCommand(context: CommandContext) {
  const group = topCommand(
    'platform',
    'send messages as the platform does',
    'types',
    'publish JobCreated job.json',
  );

  subcommand(
    group,
    'types',
    'list the messages, or show the fields of one and an example',
    '',
    'JobAssigned',
    'JobCreated --field example >job.json',
  )
    .argument('[type]', 'a message, by its short or full name')
    .action((name) => {
      if (name === undefined) {
        context.output.rows(
          'types',
          PLATFORM_MESSAGES.map((type) => ({
            name: type.name,
            type: type.typeName,
            fields: type.fields.map(({ jsonName }) => jsonName),
          })),
          columns('name, fields'),
        );
        return;
      }
      const type = typeNamed(name);
      const fields = type.fields.map((field) => ({ name: field.jsonName, type: fieldType(field) }));
      const example = exampleOf(type, new Date());
      context.output.words(
        { name: type.name, type: type.typeName, fields, example },
        `${type.typeName}\n\n${renderTable(fields, columns('field: name, holds: type'))}\n\nexample\n${jsonText(example, 2)}\n`,
      );
    });

  subcommand(group, 'new-id', 'create an id as the platform does', 'JOB=$(partnerctl platform new-id job)')
    .addArgument(new Argument('<prefix>', 'type of the resource').choices(PLATFORM_PREFIXES))
    .action((prefix) => {
      const id = newId(prefix);
      context.output.words({ id }, id);
    });

  subcommand(
    group,
    'publish',
    'publish one message; checks its required fields and ids first, and ends once the broker has confirmed it',
    'JobCreated job.json',
    'partnerctl platform types JobAssigned --field example | partnerctl platform publish JobAssigned',
    'JobCreated job.json --message-id 0d9c…   # a repeat is harmless',
  )
    .argument('<type>', 'the message, by its short or full name')
    .argument(
      '[file]',
      'file with the message as protobuf JSON, with the current time by default; - for standard input',
      '-',
    )
    .option('--message-id <id>', 'message id, which identifies a repeat (default: a new one)')
    .action(async (name, file, { messageId: givenId }) => {
      const type = typeNamed(name);
      const message = read(type, await context.read(file));
      const reflected = reflect(type, message);
      const missing = missingFields(type, reflected);
      if (missing.length > 0) throw wrongUsage(`the ${type.name} has no ${missing.join(', ')}`);
      const wrong = wrongIds(type, reflected);
      if (wrong.length > 0) throw wrongUsage(wrong.join('\n'));
      const messageId = givenId ?? randomUUID();
      if (messageId === '' || Buffer.byteLength(messageId) > MESSAGE_ID_BYTES)
        throw wrongUsage(`--message-id must have 1 to ${MESSAGE_ID_BYTES} bytes`);
      const { publisher } = await context.session();
      await publisher.publish({
        exchange: PLATFORM,
        routingKey: type.typeName,
        type: type.typeName,
        messageId,
        body: toBinary(type, message),
      });
      const sent: Json = toJson(type, message);
      context.output.words(
        { messageId, type: type.typeName, message: sent },
        `The broker has ${type.name} ${messageId}.`,
      );
    });

  return group;
}

function typeNamed(name: string) {
  const type = platformType(name);
  if (type !== undefined) return type;
  throw new OperatorError('notFound', `there is no message ${name}; partnerctl platform types lists them`);
}

/** Reads a message in protobuf JSON, with the current time by default. Fails with the reason for any other text. */
function read(type: DescMessage, text: string): Message {
  try {
    const given = z.record(z.string(), z.json()).parse(JSON.parse(text));
    const occurred = 'occurred_at' in given ? {} : { occurredAt: new Date().toISOString() };
    return fromJson(type, { ...occurred, ...given });
  } catch (error) {
    throw wrongUsage(`this is not a ${type.name}: ${error instanceof Error ? error.message : ''}`);
  }
}
