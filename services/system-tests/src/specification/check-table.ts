import type { Requirement } from './read-requirements.js';
import type { SpecificationEntry } from './specification-entry.js';

/**
 * Where everything is built: the surfaces of partners, their keys, errors and limits. Beginnings of {@link Requirement.at};
 * nothing there may be marked as not built yet.
 */
const BUILT: readonly string[] = [
  'What the service does / rule 1',
  'What the service does / rule 2',
  'What the service does / rule 3',
  'What the service does / rule 6',
  'Resources and their fields / Lead input (LeadIn)',
  'Resources and their fields / Lead results',
  'Resources and their fields / Appointment input (AppointmentIn)',
  'Resources and their fields / ContractorJob (inbound job list item)',
  'Resources and their fields / InstallerJob (installer-safe projection)',
  'Resources and their fields / StatusEventIn',
  'Resources and their fields / ScheduleIn',
  'Resources and their fields / Technician (list item)',
  'Resources and their fields / Change feed entry',
  'Resources and their fields / Error body',
  'Endpoints / Inbound',
  'Endpoints / Installer v1',
  'Authentication / rule 1',
  'Authentication / rule 2',
  'Authentication / rule 3',
  'Authentication / rule 4',
  'Authentication / rule 5',
  'Authentication / rule 7',
  'Errors',
  'Limits',
  'Versioning / rule 1',
  'Versioning / rule 2',
  'Decisions / HTTP on every surface',
  'Decisions / Inbound',
  'Decisions / Installer v1',
];

/** Everything that is wrong with the table, a line for each fault; empty when it holds. */
export function faultsOfTable(given: {
  readonly requirements: readonly Requirement[];
  readonly entries: readonly SpecificationEntry[];
  /** The titles of the tests of a file; undefined when there is no such file. */
  readonly titlesOf: (file: string) => readonly string[] | undefined;
}): string[] {
  const { requirements, entries, titlesOf } = given;
  const required = new Set(requirements.map(keyOf));
  const entered = entries.map(keyOf);
  const known = new Set(entered);
  return [
    ...requirements
      .map(keyOf)
      .filter((key) => !known.has(key))
      .map((key) => `has no entry: ${key}`),
    ...entered.filter((key) => !required.has(key)).map((key) => `is in none of the documents: ${key}`),
    ...entered.filter((key, index) => entered.indexOf(key) < index).map((key) => `has two entries: ${key}`),
    ...entries.flatMap((entry) =>
      [...faultsOfEntry(entry), ...missingTests(entry, titlesOf)].map((fault) => `${fault}: ${keyOf(entry)}`),
    ),
  ];
}

function keyOf({ at, says }: Requirement): string {
  return `${at}: ${says}`;
}

function faultsOfEntry(entry: SpecificationEntry): string[] {
  const { provedBy, requiresNothing, notBuiltYet, awaits } = entry;
  const proofs = Object.values(provedBy ?? {}).flat();
  const kinds = [provedBy, requiresNothing, notBuiltYet].filter((kind) => kind !== undefined);
  return [
    ...(kinds.length === 1 ? [] : ['needs one of provedBy, requiresNothing and notBuiltYet']),
    ...(provedBy !== undefined && proofs.length === 0 ? ['names no test'] : []),
    ...(awaits !== undefined && provedBy === undefined ? ['awaits more, but nothing is proved'] : []),
    ...(notBuiltYet !== undefined && isBuilt(entry.at) ? [`must be built: ${notBuiltYet}`] : []),
    ...([requiresNothing, notBuiltYet, awaits].includes('') ? ['gives no reason'] : []),
  ];
}

function isBuilt(at: string): boolean {
  return BUILT.some((place) => at === place || at.startsWith(`${place} / `));
}

function missingTests(
  { provedBy = {} }: SpecificationEntry,
  titlesOf: (file: string) => readonly string[] | undefined,
): string[] {
  return Object.entries(provedBy).flatMap(([file, titles]) => {
    const present = titlesOf(file);
    if (present === undefined) return [`there is no file ${file}`];
    return titles
      .filter((title) => !present.includes(title))
      .map((title) => `${file} has no test '${title}'`);
  });
}
