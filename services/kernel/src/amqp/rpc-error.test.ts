import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from '@jest/globals';
import { RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import { ERROR_REASON_CATALOGUE, isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import { ServiceError } from '../process/service-error.js';
import { decodeRpcError, encodeRpcError, serviceErrorFrom } from './rpc-error.js';

describe('an error on the wire', () => {
  test.each(Object.keys(ERROR_REASON_CATALOGUE))('keeps the reason %s', (reason) => {
    if (!isErrorReason(reason)) throw new Error('not a reason');
    const decoded = decodeRpcError(encodeRpcError(new ServiceError(reason, 'what went wrong')));
    expect(decoded).toMatchObject({ reason, message: 'what went wrong' });
  });

  test('keeps every attribute [HTTP-22]', () => {
    const attributes = {
      details: [
        { path: 'membershipIds.3', message: 'is not known' },
        { path: '', message: 'is not an object' },
      ],
      currentVersion: 3,
      currentStatus: 'ASSIGNED',
      allowed: ['ACKNOWLEDGED', 'BLOCKED'],
      retryAfterSeconds: 2,
      isOfCaller: true,
      idempotency: { replayed: true, expiresAt: new Date('2026-09-01T12:00:00.123Z') },
    };
    const decoded = decodeRpcError(encodeRpcError(new ServiceError('rate_limited', 'too many', attributes)));
    expect(decoded.attributes).toEqual(attributes);
  });

  test('has no attributes if none were given, except that a final status has an empty list of allowed ones', () => {
    expect(decodeRpcError(encodeRpcError(new ServiceError('not_found', 'no such job'))).attributes).toEqual(
      {},
    );
    const final = new ServiceError('transition_not_allowed', 'final', {
      currentStatus: 'COMPLETE',
      allowed: [],
    });
    expect(decodeRpcError(encodeRpcError(final)).attributes).toEqual({
      currentStatus: 'COMPLETE',
      allowed: [],
    });
  });

  test('is internal, without its text, when the reason is unknown or the bytes are no RpcError', () => {
    const foreign = toBinary(
      RpcErrorSchema,
      create(RpcErrorSchema, { reason: 'of_tomorrow', message: 'secret' }),
    );
    expect(decodeRpcError(foreign)).toMatchObject({ reason: 'internal' });
    expect(decodeRpcError(foreign).message).not.toContain('secret');
    expect(decodeRpcError(Buffer.from([0xff])).reason).toBe('internal');
  });
});

describe('the error of a thrown value', () => {
  test('is the ServiceError itself, also where Connect has wrapped it', () => {
    const error = new ServiceError('not_found', 'no such job');
    expect(serviceErrorFrom(error)).toBe(error);
    expect(serviceErrorFrom(ConnectError.from(error))).toBe(error);
  });

  test.each([Code.Canceled, Code.DeadlineExceeded, Code.Unavailable])(
    'is unavailable for a call that Connect cancelled or timed out (code %s)',
    (code) => {
      const error = serviceErrorFrom(new ConnectError('gone', code));
      expect(error).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
    },
  );

  test('is internal for anything else, with the thrown value as its private cause', () => {
    for (const thrown of [
      new Error('secret'),
      'secret',
      undefined,
      new ConnectError('secret', Code.Internal),
    ]) {
      const error = serviceErrorFrom(thrown);
      expect(error.reason).toBe('internal');
      expect(error.message).not.toContain('secret');
      expect(error.cause).toBe(thrown);
    }
  });
});
