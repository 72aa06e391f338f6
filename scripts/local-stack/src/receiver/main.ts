import { ListenError } from '@partner/kernel/process/listen';
import { Command } from '@commander-js/extra-typings';
import { ensureCertificates } from './certificates.js';
import { wholeNumber } from '../whole-number.js';
import { openKnownSecrets } from './known-secrets.js';
import { serveReceiver } from './receiver.js';

const program = new Command('receiver')
  .description('An example webhook endpoint, over HTTPS.')
  .option('--host <address>', 'the address at which it listens', '127.0.0.1')
  .requiredOption('--port <port>', 'the port', wholeNumber(0, 65_535))
  .requiredOption('--host-name <name>', 'the host name of its certificate')
  .requiredOption(
    '--certificates <directory>',
    'keeps the certificate, its key and its authority; created if missing',
  )
  .requiredOption('--log <file>', 'receives one JSON line for each request')
  .requiredOption('--secrets <file>', 'stores the registered secrets')
  .addHelpText(
    'after',
    `
Each line of the log holds receivedAt, path, headers, body (text, or base64 as bodyEncoding says), verified (true, false, or
null without a secret for the path), duplicate (the event was accepted before), status (of the response) and problem.

Paths:
  /fail/<status>/<times>     returns <status> for the first <times> requests of each event, then 200
  /down/<status>             returns <status> for every event but a test
  /slow/<milliseconds>       waits before it responds
  anything else              returns 200 once the line is on the disk, 401 if the signature is wrong or its secret version unknown
Control, for requests to 127.0.0.1 or localhost only:
  POST /_control/secrets     {"version", "secret", "path"?, "subscriptionId"?}: verify with this secret from now on
  GET  /_control/health      200 when it is up`,
  )
  .parse();
const options = program.opts();

const certificate = await ensureCertificates(options.certificates, options.hostName);
const receiver = await serveReceiver({
  certificate,
  host: options.host,
  port: options.port,
  variable: '--port',
  logFile: options.log,
  secrets: openKnownSecrets(options.secrets),
  onReceived: ({ path, headers, status, verified }) => {
    const event = headers['x-svc-event'] ?? 'no event';
    process.stdout.write(
      `${status} ${path} ${event} verified: ${verified ?? 'unknown secret; receiver/register.js registers it'}\n`,
    );
  },
}).catch((error: unknown) => {
  process.stderr.write(`receiver: ${error instanceof ListenError ? error.message : String(error)}\n`);
  process.exit(1);
});

async function stop(): Promise<void> {
  await receiver.close();
  process.exit(0);
}
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
