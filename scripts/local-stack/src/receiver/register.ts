import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../whole-number.js';
import { knownSecret, registerSecret } from './known-secrets.js';
import { CONTROL_PATHS } from './receiver.js';

const program = new Command('register')
  .description(
    'Registers the signing secret of a webhook with the running example receiver, which then verifies it.',
  )
  .argument('<secret>', 'the secret, whsec_…')
  .option('--secret-version <version>', 'its version', wholeNumber(1, 1_000_000), 1)
  .option('--port <port>', 'the port of the receiver', wholeNumber(1, 65_535), 9_443)
  .option('--certificates <directory>', 'the directory of its certificate', '/receiver')
  .parse();
const [secret] = program.processedArgs;
const { secretVersion: version, port, certificates } = program.opts();

const given = knownSecret.safeParse({ version, secret });
if (!given.success) program.error('register: a secret must be whsec_ followed by base64');
else
  await registerSecret(
    {
      controlUrl: `https://127.0.0.1:${port}${CONTROL_PATHS.secrets}`,
      caFile: path.join(certificates, 'ca.pem'),
    },
    given.data,
  ).then(
    () => process.stdout.write('Registered: deliveries with this secret are verified from now on.\n'),
    (error: unknown) => program.error(`register: ${error instanceof Error ? error.message : String(error)}`),
  );
