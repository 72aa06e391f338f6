import { Command } from '@commander-js/extra-typings';
import { wholeNumber } from '../whole-number.js';
import { startMailSink } from './mail-sink.js';

const { port, directory } = new Command('mail')
  .description('A mail server on loopback that writes each message to a file and prints its links.')
  .requiredOption('--port <port>', 'the port', wholeNumber(1, 65_535))
  .requiredOption('--directory <path>', 'receives one .eml file for each message; created if missing')
  .parse()
  .opts();

const sink = await startMailSink({
  port,
  directory,
  onMail({ to, subject, links, file }) {
    const lines = [`to ${to}: ${subject}`, ...links.map((link) => `  ${link}`), `  ${file}`];
    process.stdout.write(`${lines.join('\n')}\n`);
  },
}).catch((error: unknown) => {
  process.stderr.write(`mail: ${String(error)}\n`);
  process.exit(1);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void sink.stop().then(() => process.exit(0)));
