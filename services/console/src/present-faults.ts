import { faultScript, type FaultScript, NO_FAULTS } from '@partner/proto-contracts/public-api/fault-script';

/** The fault script of a key as its owner sees it; one without anything when the key has none. */
export function presentFaults(json: string | undefined): FaultScript {
  const script: unknown = json === undefined ? NO_FAULTS : JSON.parse(json);
  return faultScript.parse(script);
}
