import { type Message, type UnknownField } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';

/** The field number of the first unknown field; the contract uses none as high. */
const FIRST = 1_000;

/**
 * Adds texts to a message as fields that its contract does not have, as a platform that is ahead of this service, or careless,
 * would send them.
 */
export function withUnknownFields<M extends Message>(message: M, texts: readonly string[]): M {
  message.$unknown = texts.map((text, place): UnknownField => {
    const bytes = Buffer.from(text);
    if (bytes.length > 127) throw new Error('its length has to fit into one byte');
    return {
      no: FIRST + place,
      wireType: WireType.LengthDelimited,
      data: Buffer.concat([Buffer.from([bytes.length]), bytes]),
    };
  });
  return message;
}
