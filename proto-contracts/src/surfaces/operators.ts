import type { AnyOperation } from '../api/operation.js';
import { requestTechnicalContactOperation } from '../internal/access/technical-contact.js';
import {
  createApiKeyOperation,
  listApiKeysOperation,
  revokeApiKeyOperation,
  rotateApiKeyOperation,
} from '../resources/api-key/operations.js';
import {
  claimAnnouncementOperation,
  listAnnouncementRecipientsOperation,
  listAnnouncementsOperation,
  recordAnnouncementOperation,
  releaseAnnouncementOperation,
} from '../internal/operators/announcements.js';
import {
  createCompanyOperation,
  findCompanyOperation,
  listCompaniesOperation,
  updateCompanyOperation,
} from '../internal/operators/companies.js';
import {
  createOwnerOperation,
  listOwnersOperation,
  resetOwnerSecondFactorOperation,
  unlinkOwnerProviderOperation,
  updateOwnerOperation,
} from '../internal/operators/owners.js';
import {
  eraseCompanyOperation,
  erasePersonOperation,
  findPeopleOperation,
  listErasuresOperation,
  readCompanyDataOperation,
  readPersonDataOperation,
} from '../internal/operators/people.js';
import {
  checkRestoreOperation,
  getBacklogOperation,
  getOperatorJobOperation,
} from '../internal/operators/system.js';
import { configureWebhookOperation, listWholeWebhooksOperation } from '../internal/operators/webhooks.js';
import {
  cancelReplayOperation,
  getReplayOperation,
  replayDeliveriesOperation,
} from '../resources/bulk-replay/operations.js';
import {
  getDeliveryOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
  replayDeliveryOperation,
  retryDeliveryOperation,
  testWebhookOperation,
} from '../resources/delivery/operations.js';
import { getEventOperation, listEventsOperation } from '../resources/event/operations.js';
import {
  previewInboundEventReplayOperation,
  replayInboundEventsOperation,
} from '../resources/event-replay/operations.js';
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
import { getTechnicalContactOperation } from '../resources/technical-contact/operations.js';

/** The public operations that operators call for a company. */
export const OPERATOR_OPERATIONS: readonly AnyOperation[] = [
  previewInboundEventReplayOperation,
  replayInboundEventsOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
  getDeliveryOperation,
  replayDeliveryOperation,
  retryDeliveryOperation,
  replayDeliveriesOperation,
  getReplayOperation,
  cancelReplayOperation,
  listEventsOperation,
  getEventOperation,
  listApiKeysOperation,
  createApiKeyOperation,
  rotateApiKeyOperation,
  revokeApiKeyOperation,
  getTechnicalContactOperation,
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
];

/** The calls of operators that are not public. */
export const OPERATOR_CALLS = [
  listCompaniesOperation,
  createCompanyOperation,
  updateCompanyOperation,
  findCompanyOperation,
  listOwnersOperation,
  createOwnerOperation,
  updateOwnerOperation,
  resetOwnerSecondFactorOperation,
  unlinkOwnerProviderOperation,
  listAnnouncementRecipientsOperation,
  claimAnnouncementOperation,
  releaseAnnouncementOperation,
  recordAnnouncementOperation,
  listAnnouncementsOperation,
  findPeopleOperation,
  readPersonDataOperation,
  erasePersonOperation,
  readCompanyDataOperation,
  eraseCompanyOperation,
  listErasuresOperation,
  getOperatorJobOperation,
  checkRestoreOperation,
  getBacklogOperation,
  requestTechnicalContactOperation,
  listWholeWebhooksOperation,
  configureWebhookOperation,
] as const;
