import {
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
} from '@partner/proto-contracts/resources/notification-settings/operations';
import type { Caller } from '@partner/proto-contracts/call';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { invariant } from '@partner/kernel/invariant';

/** Creates in-memory notification settings. */
export function createFakeNotifications(): readonly Implementation[] {
  const settings = new Map<string, string>();
  function shown(caller: Caller, changed?: string) {
    invariant(caller.kind === 'owner', 'the console names the owner');
    const { membershipId } = caller;
    if (changed !== undefined) settings.set(membershipId, changed);
    const emails = settings.get(membershipId) ?? 'immediately';
    return { json: JSON.stringify({ emails, email: `${membershipId}@owner.example` }) };
  }
  return [
    implement(getNotificationSettingsOperation, async ({ caller }) => shown(caller)),
    implement(setNotificationSettingsOperation, async ({ caller, body }) => shown(caller, body.emails)),
  ];
}
