import { ensureCertificates } from '@partner/local-stack/receiver/certificates';
import { ensureStackSecrets } from '@partner/local-stack/stack/stack-secrets';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import { stackFiles } from '@partner/local-stack/stack/stack-state';
import { startTestStack, type TestStack } from '../support/test-stack.js';
import { type Cluster, createCluster } from './cluster.js';
import type { Engine } from './engine.js';

const NO_SERVICES = {
  'job-state': 0,
  'inbound-gateway': 0,
  'installer-gateway': 0,
  console: 0,
  'webhook-dispatcher': 0,
} as const;

/** Starts the backing services with a migrated sandbox, and a cluster without containers beside them. */
export async function startClusterStack(
  engine: Engine,
): Promise<{ readonly stack: TestStack; readonly cluster: Cluster }> {
  const stack = await startTestStack({ replicas: NO_SERVICES });
  try {
    const { directory, description } = stack.stack;
    const keys = ensureStackSecrets(directory);
    const { caFile } = await ensureCertificates(stackFiles(directory).receiver, RECEIVER_HOST);
    const { amqpUrl, postgresUrl, redisUrl } = description;
    // One installer writes and reads more than the standard limit lets through.
    await stack.database.query('update companies set installer_requests_per_minute = 100000');
    const cluster = await createCluster(engine, {
      secrets: { amqpUrl, postgresUrl, redisUrl, ...keys },
      surroundings: { devHosts: `${RECEIVER_HOST}=127.0.0.1:${stack.receiver.port}`, devCaFile: caFile },
    });
    return { stack, cluster };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}
