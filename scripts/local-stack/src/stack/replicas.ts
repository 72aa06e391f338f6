import { SERVICE_NAMES, type ServiceName } from './services.js';

export interface Replica {
  readonly service: ServiceName;
  /** The service's name; from the second replica on with a number, e.g. `job-state-2`. */
  readonly name: string;
}

export function replicasOf(counts: Readonly<Partial<Record<ServiceName, number>>>): Replica[] {
  return SERVICE_NAMES.flatMap((service) =>
    Array.from({ length: counts[service] ?? 1 }, (_, index) => ({
      service,
      name: index === 0 ? service : `${service}-${index + 1}`,
    })),
  );
}

/** Returns the service of a replica's name; undefined for every other name. */
export function serviceOf(name: string): ServiceName | undefined {
  return SERVICE_NAMES.find(
    (service) => name === service || (/^-\d+$/.test(name.slice(service.length)) && name.startsWith(service)),
  );
}
