import type { AnyOperation } from '../api/operation.js';
import { requestTechnicalContactOperation } from '../internal/access/technical-contact.js';
import * as apiKey from '../resources/api-key/operations.js';
import * as announcements from '../internal/operators/announcements.js';
import * as companies from '../internal/operators/companies.js';
import * as owners from '../internal/operators/owners.js';
import * as customers from '../internal/operators/customers.js';
import * as system from '../internal/operators/system.js';
import * as webhooks from '../internal/operators/webhooks.js';
import * as bulkReplay from '../resources/bulk-replay/operations.js';
import * as delivery from '../resources/delivery/operations.js';
import * as event from '../resources/event/operations.js';
import * as eventReplay from '../resources/event-replay/operations.js';
import * as subscription from '../resources/subscription/operations.js';
import { getTechnicalContactOperation } from '../resources/technical-contact/operations.js';

/** The public operations that operators call for a company. */
export const OPERATOR_OPERATIONS: readonly AnyOperation[] = [
  eventReplay.previewInboundEventReplayOperation,
  eventReplay.replayInboundEventsOperation,
  delivery.listCompanyDeliveriesOperation,
  delivery.listDeliveriesOperation,
  delivery.getDeliveryOperation,
  delivery.replayDeliveryOperation,
  delivery.retryDeliveryOperation,
  bulkReplay.replayDeliveriesOperation,
  bulkReplay.getReplayOperation,
  bulkReplay.cancelReplayOperation,
  event.listEventsOperation,
  event.getEventOperation,
  apiKey.listApiKeysOperation,
  apiKey.createApiKeyOperation,
  apiKey.rotateApiKeyOperation,
  apiKey.revokeApiKeyOperation,
  getTechnicalContactOperation,
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
];

/** The calls of operators that are not public. */
export const OPERATOR_CALLS = [
  companies.listCompaniesOperation,
  companies.createCompanyOperation,
  companies.updateCompanyOperation,
  companies.findCompanyOperation,
  owners.listOwnersOperation,
  owners.createOwnerOperation,
  owners.updateOwnerOperation,
  owners.resetOwnerSecondFactorOperation,
  owners.unlinkOwnerProviderOperation,
  announcements.listAnnouncementRecipientsOperation,
  announcements.claimAnnouncementOperation,
  announcements.releaseAnnouncementOperation,
  announcements.recordAnnouncementOperation,
  announcements.listAnnouncementsOperation,
  customers.findPeopleOperation,
  customers.readPersonDataOperation,
  customers.erasePersonOperation,
  customers.readCompanyDataOperation,
  customers.eraseCompanyOperation,
  customers.listErasuresOperation,
  system.getOperatorJobOperation,
  system.checkRestoreOperation,
  system.getBacklogOperation,
  requestTechnicalContactOperation,
  webhooks.listWholeWebhooksOperation,
  webhooks.configureWebhookOperation,
] as const;
