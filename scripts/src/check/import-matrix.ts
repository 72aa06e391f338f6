import path from 'node:path';
import ts from 'typescript';

/** One import that the matrix does not allow. */
export interface ForbiddenImport {
  readonly file: string;
  readonly specifier: string;
  readonly reason: string;
}

const DATABASE = ['knex', 'pg'];
const SERVICES = ['inbound-gateway', 'installer-gateway', 'console', 'job-state', 'webhook-dispatcher'];

/** Where each guarded package may be imported, as prefixes of file paths. Tests may reach the real parts directly. */
const GUARDED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  knex: ['services/job-state/'],
  pg: ['services/job-state/', 'services/test-kit/', 'scripts/', 'services/system-tests/'],
  amqplib: [
    'services/kernel/src/amqp/',
    'services/kernel/src/testing/',
    'services/test-kit/',
    'services/system-tests/',
  ],
  ioredis: [
    'services/gateway-kit/',
    'services/test-kit/',
    'services/console/src/sessions/',
    'services/system-tests/',
  ],
  nodemailer: ['services/kernel/src/mail.ts'],
  'smtp-server': ['services/test-kit/'],
  express: ['services/gateway-kit/', ...SERVICES.map((service) => `services/${service}/src/app`)],
};

/**
 * The imports of a file that break the architecture: contracts import nothing of ours, the kernel imports contracts, the
 * gateway kit imports both, services never import each other, only tests import the test kit, and each driver stays where
 * it belongs. The system tests also import the code
 * that the console prints and the dispatcher's signature. `file` is relative to the root.
 */
export function findForbiddenImports(file: string, text: string): ForbiddenImport[] {
  const imports = ts.preProcessFile(text, true, true).importedFiles.map((imported) => imported.fileName);
  return imports.flatMap((specifier) => {
    const reason = reasonAgainst(file, specifier);
    return reason === undefined ? [] : [{ file, specifier, reason }];
  });
}

function reasonAgainst(file: string, specifier: string): string | undefined {
  const own = packageOf(file);
  if (specifier.startsWith('.')) {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    return packageOf(target) === own ? undefined : 'reaches into another package by path';
  }
  if (specifier.startsWith('@partner/')) {
    const target = specifier.split('/')[1] ?? '';
    if (target === 'test-kit' && !mayUseTestKit(file)) return 'only tests may import test-kit';
    return allowedPackages(own).includes(target) ? undefined : `${own} may not import ${target}`;
  }
  const name = specifier.startsWith('@')
    ? specifier.split('/').slice(0, 2).join('/')
    : (specifier.split('/')[0] ?? '');
  const places = GUARDED_PACKAGES[name];
  if (places === undefined || places.some((place) => file.startsWith(place))) return undefined;
  if (file.endsWith('.test.ts') && !DATABASE.includes(name)) return undefined;
  return `${name} may only be imported in ${places.join(', ')}`;
}

function mayUseTestKit(file: string): boolean {
  return /^scripts\/|^services\/(test-kit|system-tests)\/|\/testing\/|\.test\.ts$/.test(file);
}

function packageOf(file: string): string {
  const [top = '', second = ''] = file.split('/');
  if (top === 'services') return second;
  return top === 'scripts' ? 'local-stack' : top;
}

function allowedPackages(own: string): readonly string[] {
  switch (own) {
    case 'proto-contracts':
      return [];
    case 'test-kit':
      return ['proto-contracts'];
    case 'kernel':
      return ['proto-contracts', 'test-kit'];
    case 'job-state':
    case 'webhook-dispatcher':
      return ['proto-contracts', 'kernel', 'test-kit'];
    case 'system-tests':
      return [
        'proto-contracts',
        'kernel',
        'gateway-kit',
        'test-kit',
        'local-stack',
        'console',
        'webhook-dispatcher',
      ];
    default:
      return ['proto-contracts', 'kernel', 'gateway-kit', 'test-kit'];
  }
}
