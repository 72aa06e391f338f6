import { createContext, useContext } from 'react';
import type { ApiClient } from './api-client.js';

const ApiContext = createContext<ApiClient | null>(null);

/** Provides the client of the owners' API to the pages below it. */
export const ApiProvider = ApiContext.Provider;

/** Returns the client of the owners' API. */
export function useApi(): ApiClient {
  const api = useContext(ApiContext);
  if (api === null) throw new Error('there is an ApiProvider above every page');
  return api;
}
