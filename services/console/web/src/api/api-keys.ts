import { apiKeyCreated, apiKeyPage, apiKeyRotated } from '@partner/proto-contracts/resources/api-key/api-key';
import { type FaultScript, faultScript } from '@partner/proto-contracts/resources/fault-script/fault-script';
import { installerPage } from '@partner/proto-contracts/resources/installer/installer';
import type { z } from 'zod';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';
import { useCursorList } from './use-cursor-list.js';

/** An API key as its owner sees it. */
export type ApiKey = z.output<typeof apiKeyPage>['keys'][number];

const keyPath = (id: string) => `/api-keys/${encodeURIComponent(id)}`;

/** The API keys of the company, newest first. */
export function useApiKeys() {
  const list = useCursorList({
    key: ['api-keys'],
    schema: apiKeyPage,
    path: '/api-keys',
    query: { limit: 50 },
  });
  return { ...list, keys: list.pages?.flatMap((page) => page.keys) };
}

/** The companies that a key can be bound to. */
export function useInstallers(enabled = true) {
  const list = useCursorList({
    key: ['installers'],
    schema: installerPage,
    path: '/installers',
    query: { limit: 100 },
    enabled,
  });
  return { ...list, installers: list.pages?.flatMap((page) => page.installers) };
}

/** Input for a new key. */
export interface NewApiKey {
  readonly kind: ApiKey['kind'];
  readonly boundCompanyId?: string;
  readonly description?: string;
}

/** Creates a key; only this response contains it. */
export function useCreateApiKey() {
  return useAction({
    act: (api, body: NewApiKey) => api.read(apiKeyCreated, { method: 'POST', path: '/api-keys', body }),
  });
}

/** Replaces a key; only this response contains the new one. */
export function useRotateApiKey() {
  return useAction({
    act: (api, { id, overlapHours }: { readonly id: string; readonly overlapHours: number }) =>
      api.read(apiKeyRotated, { method: 'POST', path: `${keyPath(id)}/rotate`, body: { overlapHours } }),
  });
}

/** Revokes a key at once. */
export function useRevokeApiKey(onDone?: () => void) {
  return useAction({
    act: (api, id: string) => api.send({ method: 'DELETE', path: keyPath(id) }),
    done: 'API key revoked',
    ...(onDone === undefined ? {} : { onDone }),
  });
}

/** The fault script of a key. Exists in the sandbox only. */
export function useFaults(keyId: string) {
  return useApiQuery({ key: ['faults', keyId], schema: faultScript, path: `${keyPath(keyId)}/faults` });
}

/** Sets the fault script of a key, which starts with its first step. */
export function useSetFaults(keyId: string, onDone: () => void) {
  return useAction({
    act: (api, body: FaultScript) =>
      api.read(faultScript, { method: 'PUT', path: `${keyPath(keyId)}/faults`, body }),
    done: 'Faults saved',
    onDone,
  });
}

/** Removes the fault script of a key. */
export function useClearFaults(keyId: string, onDone: () => void) {
  return useAction({
    act: (api) => api.send({ method: 'DELETE', path: `${keyPath(keyId)}/faults` }),
    done: 'Faults removed',
    onDone,
  });
}
