import {
  type NotificationSettings,
  shownNotificationSettings,
} from '@partner/proto-contracts/resources/notification-settings/notification-settings';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';

const PATH = '/notification-settings';

/** How often the owner gets emails. */
export function useNotificationSettings() {
  return useApiQuery({ key: ['notification-settings'], schema: shownNotificationSettings, path: PATH });
}

/** Sets how often the owner gets emails. */
export function useSetNotificationSettings() {
  return useAction({
    act: (api, emails: NotificationSettings['emails']) =>
      api.read(shownNotificationSettings, { method: 'PUT', path: PATH, body: { emails } }),
    done: 'Settings saved',
  });
}
