import type { AnyOperation } from '../api/operation.js';
import { authenticateKeyOperation } from '../internal/access/authenticate-key.js';
import { inviteColleagueOperation } from '../internal/access/invite-colleague.js';
import * as passwords from '../internal/access/passwords.js';
import { useSecondFactorOperation } from '../internal/access/second-factor.js';
import * as signIn from '../internal/access/sign-in.js';
import * as contactCalls from '../internal/access/technical-contact.js';
import { recordSessionChangeOperation } from '../internal/audit/record-session-change.js';
import { readWebhookKeysOperation } from '../internal/webhooks/read-webhook-keys.js';
import { recordTestRequestOperation } from '../internal/webhooks/record-test-request.js';
import { measureServiceStatusOperation } from '../internal/service-status/measure-service-status.js';
import * as emails from '../internal/notifications/notification-emails.js';
import * as apiKey from '../resources/api-key/operations.js';
import { listAuditEntriesOperation } from '../resources/audit-entry/operations.js';
import * as bulkReplay from '../resources/bulk-replay/operations.js';
import * as colleague from '../resources/colleague/operations.js';
import { streamChangesOperation } from '../resources/change-stream/operations.js';
import * as delivery from '../resources/delivery/operations.js';
import { listWebhookEventsOperation } from '../resources/event-catalogue/operations.js';
import * as event from '../resources/event/operations.js';
import * as faultScript from '../resources/fault-script/operations.js';
import { listInstallersOperation } from '../resources/installer/operations.js';
import * as notificationSettings from '../resources/notification-settings/operations.js';
import * as password from '../resources/password/operations.js';
import * as providerSignIn from '../resources/provider-sign-in/operations.js';
import * as secondFactor from '../resources/second-factor/operations.js';
import * as session from '../resources/session/operations.js';
import { getServiceStatusOperation } from '../resources/service-status/operations.js';
import * as statistics from '../resources/statistics/operations.js';
import * as subscription from '../resources/subscription/operations.js';
import * as technicalContact from '../resources/technical-contact/operations.js';
import * as testRequest from '../resources/test-request/operations.js';
import * as webhookProposal from '../resources/webhook-proposal/operations.js';
import { checkUrlOperation } from '../resources/url-check/operations.js';
import * as webhookSender from '../resources/webhook-sender/operations.js';

const OPERATIONS = [
  session.createSessionOperation,
  session.getSessionOperation,
  session.deleteSessionOperation,
  session.confirmSessionOperation,
  providerSignIn.beginProviderSignInOperation,
  providerSignIn.completeProviderSignInOperation,
  providerSignIn.beginProviderConfirmationOperation,
  providerSignIn.completeProviderConfirmationOperation,
  providerSignIn.getSignInMethodsOperation,
  password.changePasswordOperation,
  password.requestPasswordLinkOperation,
  password.readPasswordLinkOperation,
  password.usePasswordLinkOperation,
  session.listSessionsOperation,
  session.endSessionOperation,
  secondFactor.getSecondFactorOperation,
  secondFactor.beginSecondFactorOperation,
  secondFactor.enableSecondFactorOperation,
  secondFactor.replaceRecoveryCodesOperation,
  secondFactor.disableSecondFactorOperation,
  colleague.listColleaguesOperation,
  colleague.addColleagueOperation,
  colleague.setColleagueRoleOperation,
  colleague.removeColleagueOperation,
  colleague.resetColleagueSecondFactorOperation,
  subscription.createWebhookOperation,
  subscription.listWebhooksOperation,
  subscription.getWebhookOperation,
  subscription.updateWebhookOperation,
  subscription.deleteWebhookOperation,
  delivery.testWebhookOperation,
  subscription.activateWebhookOperation,
  subscription.pauseWebhookOperation,
  subscription.rotateWebhookSecretOperation,
  subscription.activateWebhookSecretOperation,
  webhookProposal.listWebhookProposalsOperation,
  webhookProposal.getWebhookProposalOperation,
  webhookProposal.confirmWebhookProposalOperation,
  webhookProposal.rejectWebhookProposalOperation,
  webhookSender.getWebhookKeysOperation,
  webhookSender.getWebhookSenderOperation,
  listWebhookEventsOperation,
  delivery.listCompanyDeliveriesOperation,
  delivery.listDeliveriesOperation,
  delivery.getDeliveryOperation,
  delivery.replayDeliveryOperation,
  delivery.retryDeliveryOperation,
  bulkReplay.replayDeliveriesOperation,
  bulkReplay.listReplaysOperation,
  bulkReplay.getReplayOperation,
  bulkReplay.cancelReplayOperation,
  event.listEventsOperation,
  event.getEventOperation,
  statistics.getWebhookStatisticsOperation,
  statistics.getStatisticsOperation,
  getServiceStatusOperation,
  apiKey.listApiKeysOperation,
  apiKey.createApiKeyOperation,
  apiKey.rotateApiKeyOperation,
  apiKey.revokeApiKeyOperation,
  listInstallersOperation,
  faultScript.getFaultsOperation,
  faultScript.setFaultsOperation,
  faultScript.clearFaultsOperation,
  checkUrlOperation,
  testRequest.getTestReceiverOperation,
  testRequest.getTestRequestOperation,
  streamChangesOperation,
  listAuditEntriesOperation,
  notificationSettings.getNotificationSettingsOperation,
  notificationSettings.setNotificationSettingsOperation,
  technicalContact.getTechnicalContactOperation,
  technicalContact.setTechnicalContactOperation,
  technicalContact.confirmTechnicalContactOperation,
] as const;

export type ConsoleOperation = (typeof OPERATIONS)[number];

/** Every operation of the console's API, in the order of the reference. */
export const CONSOLE_OPERATIONS: readonly AnyOperation[] = OPERATIONS;

/** The calls of the console that are not public. */
export const CONSOLE_CALLS = [
  authenticateKeyOperation,
  signIn.findLoginOperation,
  signIn.findProviderLoginOperation,
  signIn.linkProviderOperation,
  signIn.findSignInMethodsOperation,
  signIn.findPersonOperation,
  passwords.replacePasswordOperation,
  passwords.createPasswordLinkOperation,
  passwords.findPasswordLinkOperation,
  passwords.usePasswordTokenOperation,
  useSecondFactorOperation,
  inviteColleagueOperation,
  contactCalls.requestTechnicalContactOperation,
  contactCalls.useTechnicalContactTokenOperation,
  recordSessionChangeOperation,
  emails.leaseNotificationEmailsOperation,
  emails.reportNotificationEmailOperation,
  emails.leaseSecurityNoticesOperation,
  emails.reportSecurityNoticeOperation,
  measureServiceStatusOperation,
  readWebhookKeysOperation,
  recordTestRequestOperation,
] as const;
