import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { startBenchReceiver } from './bench-receiver.js';

const certificate = z
  .object({ caFile: z.string(), certificateFile: z.string(), keyFile: z.string() })
  .parse(workerData);

const port = parentPort;
if (port === null) throw new Error('this is a worker');
const received = new Set<string>();
const receiver = await startBenchReceiver(certificate);
receiver.onReceived = (eventId) => received.add(eventId);
port.on('message', () => {
  port.postMessage(received.size);
});
port.postMessage(receiver.port);
