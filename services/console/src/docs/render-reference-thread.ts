import { parentPort, workerData } from 'node:worker_threads';
import { type ReferenceOptions, renderReference } from './render-reference.js';

// oxlint-disable-next-line typescript/no-unsafe-assignment -- what its only starter passes
const options: ReferenceOptions = workerData;
parentPort?.postMessage(renderReference(options));
