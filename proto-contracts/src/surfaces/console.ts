import type { AnyOperation } from '../api/operation.js';
import { inviteColleagueOperation } from '../internal/access/invite-colleague.js';
import {
  createPasswordLinkOperation,
  findPasswordLinkOperation,
  replacePasswordOperation,
  usePasswordTokenOperation,
} from '../internal/access/passwords.js';
import { useSecondFactorOperation } from '../internal/access/second-factor.js';
import {
  findLoginOperation,
  findPersonOperation,
  findProviderLoginOperation,
  findSignInMethodsOperation,
  linkProviderOperation,
} from '../internal/access/sign-in.js';
import {
  requestTechnicalContactOperation,
  useTechnicalContactTokenOperation,
} from '../internal/access/technical-contact.js';
import { recordSessionChangeOperation } from '../internal/audit/record-session-change.js';
import { measureServiceStatusOperation } from '../internal/service-status/measure-service-status.js';
import {
  leaseNotificationEmailsOperation,
  leaseSecurityNoticesOperation,
  reportNotificationEmailOperation,
  reportSecurityNoticeOperation,
} from '../internal/notifications/notification-emails.js';
import {
  createApiKeyOperation,
  listApiKeysOperation,
  revokeApiKeyOperation,
  rotateApiKeyOperation,
} from '../resources/api-key/operations.js';
import { listAuditEntriesOperation } from '../resources/audit-entry/operations.js';
import {
  cancelReplayOperation,
  getReplayOperation,
  listReplaysOperation,
  replayDeliveriesOperation,
} from '../resources/bulk-replay/operations.js';
import {
  addColleagueOperation,
  listColleaguesOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
  setColleagueRoleOperation,
} from '../resources/colleague/operations.js';
import { streamChangesOperation } from '../resources/change-stream/operations.js';
import {
  getDeliveryOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
  replayDeliveryOperation,
  retryDeliveryOperation,
  testWebhookOperation,
} from '../resources/delivery/operations.js';
import { listWebhookEventsOperation } from '../resources/event-catalogue/operations.js';
import { getEventOperation, listEventsOperation } from '../resources/event/operations.js';
import {
  clearFaultsOperation,
  getFaultsOperation,
  setFaultsOperation,
} from '../resources/fault-script/operations.js';
import { listInstallersOperation } from '../resources/installer/operations.js';
import {
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
} from '../resources/notification-settings/operations.js';
import {
  changePasswordOperation,
  requestPasswordLinkOperation,
  usePasswordLinkOperation,
} from '../resources/password/operations.js';
import {
  beginProviderConfirmationOperation,
  beginProviderSignInOperation,
  completeProviderConfirmationOperation,
  completeProviderSignInOperation,
  getSignInMethodsOperation,
} from '../resources/provider-sign-in/operations.js';
import {
  beginSecondFactorOperation,
  disableSecondFactorOperation,
  enableSecondFactorOperation,
  getSecondFactorOperation,
  replaceRecoveryCodesOperation,
} from '../resources/second-factor/operations.js';
import {
  confirmSessionOperation,
  createSessionOperation,
  deleteSessionOperation,
  endSessionOperation,
  getSessionOperation,
  listSessionsOperation,
} from '../resources/session/operations.js';
import { getServiceStatusOperation } from '../resources/service-status/operations.js';
import { getStatisticsOperation, getWebhookStatisticsOperation } from '../resources/statistics/operations.js';
import {
  activateWebhookOperation,
  activateWebhookSecretOperation,
  createWebhookOperation,
  deleteWebhookOperation,
  getWebhookOperation,
  listWebhooksOperation,
  pauseWebhookOperation,
  rotateWebhookSecretOperation,
  updateWebhookOperation,
} from '../resources/subscription/operations.js';
import {
  confirmTechnicalContactOperation,
  getTechnicalContactOperation,
  setTechnicalContactOperation,
} from '../resources/technical-contact/operations.js';
import { checkUrlOperation } from '../resources/url-check/operations.js';

const OPERATIONS = [
  createSessionOperation,
  getSessionOperation,
  deleteSessionOperation,
  confirmSessionOperation,
  beginProviderSignInOperation,
  completeProviderSignInOperation,
  beginProviderConfirmationOperation,
  completeProviderConfirmationOperation,
  getSignInMethodsOperation,
  changePasswordOperation,
  requestPasswordLinkOperation,
  usePasswordLinkOperation,
  listSessionsOperation,
  endSessionOperation,
  getSecondFactorOperation,
  beginSecondFactorOperation,
  enableSecondFactorOperation,
  replaceRecoveryCodesOperation,
  disableSecondFactorOperation,
  listColleaguesOperation,
  addColleagueOperation,
  setColleagueRoleOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
  createWebhookOperation,
  listWebhooksOperation,
  getWebhookOperation,
  updateWebhookOperation,
  deleteWebhookOperation,
  testWebhookOperation,
  activateWebhookOperation,
  pauseWebhookOperation,
  rotateWebhookSecretOperation,
  activateWebhookSecretOperation,
  listWebhookEventsOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
  getDeliveryOperation,
  replayDeliveryOperation,
  retryDeliveryOperation,
  replayDeliveriesOperation,
  listReplaysOperation,
  getReplayOperation,
  cancelReplayOperation,
  listEventsOperation,
  getEventOperation,
  getWebhookStatisticsOperation,
  getStatisticsOperation,
  getServiceStatusOperation,
  listApiKeysOperation,
  createApiKeyOperation,
  rotateApiKeyOperation,
  revokeApiKeyOperation,
  listInstallersOperation,
  getFaultsOperation,
  setFaultsOperation,
  clearFaultsOperation,
  checkUrlOperation,
  streamChangesOperation,
  listAuditEntriesOperation,
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
  getTechnicalContactOperation,
  setTechnicalContactOperation,
  confirmTechnicalContactOperation,
] as const;

export type ConsoleOperation = (typeof OPERATIONS)[number];

/** Every operation of the console's API, in the order of the reference. */
export const CONSOLE_OPERATIONS: readonly AnyOperation[] = OPERATIONS;

/** The calls of the console that are not public. */
export const CONSOLE_CALLS = [
  findLoginOperation,
  findProviderLoginOperation,
  linkProviderOperation,
  findSignInMethodsOperation,
  findPersonOperation,
  replacePasswordOperation,
  createPasswordLinkOperation,
  findPasswordLinkOperation,
  usePasswordTokenOperation,
  useSecondFactorOperation,
  inviteColleagueOperation,
  requestTechnicalContactOperation,
  useTechnicalContactTokenOperation,
  recordSessionChangeOperation,
  leaseNotificationEmailsOperation,
  reportNotificationEmailOperation,
  leaseSecurityNoticesOperation,
  reportSecurityNoticeOperation,
  measureServiceStatusOperation,
] as const;
