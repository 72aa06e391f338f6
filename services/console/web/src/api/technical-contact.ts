import {
  technicalContact,
  technicalContactRequested,
} from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';

const PATH = '/technical-contact';

/** The technical contact of the company. */
export function useTechnicalContact() {
  return useApiQuery({ key: ['technical-contact'], schema: technicalContact, path: PATH });
}

/** Sets a pending address. */
export function useSetTechnicalContact() {
  return useAction({
    act: (api, email: string) =>
      api.read(technicalContactRequested, { method: 'PUT', path: PATH, body: { email } }),
  });
}

/** Confirms an address with the token of a link that was mailed to it. */
export function useConfirmTechnicalContact() {
  return useAction({
    act: async (api, token: string) => {
      await api.send({ method: 'POST', path: `${PATH}/confirm`, body: { token } });
      return true;
    },
  });
}
