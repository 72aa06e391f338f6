import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import {
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
} from '@partner/proto-contracts/resources/notification-settings/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import type { Mailer } from '@partner/kernel/process/mail';
import type { OwnerSession } from '../sessions/session-store.js';

const OPERATIONS: readonly AnyOperation[] = [
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
];

/** `GET` and `PUT /partner-api/notification-settings`: how often the owner gets emails, and whether there is a mail server. */
export function notificationSettings(deps: {
  readonly forwarding: Forwarding<OwnerSession>;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
}): readonly AnyEndpoint<OwnerSession>[] {
  return OPERATIONS.map((operation) =>
    serveOperation(operation, async (request) => {
      const { json } = await callFor(operation, request, deps.forwarding);
      const shown = `${json.slice(0, -1)},"hasMailServer":${deps.mailer !== undefined}}`;
      return responseTo(operation, request, { json: shown });
    }),
  );
}
