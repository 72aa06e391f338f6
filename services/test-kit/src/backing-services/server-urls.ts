/** Returns the URL of a server for integration tests; `scripts/test` starts the servers and sets the variables. */
function serverUrl(variable: string): string {
  const url = process.env[variable];
  if (url === undefined || url === '') throw new Error(`${variable} is not set; run scripts/test`);
  return url;
}

/** Returns the URL of a Postgres server as superuser, database `postgres`. Throws if the tests run without one. */
export function testPostgresUrl(): string {
  return serverUrl('TEST_POSTGRES_URL');
}

/** Returns the URL of a RabbitMQ server, default vhost. Throws if the tests run without one. */
export function testAmqpUrl(): string {
  return serverUrl('TEST_AMQP_URL');
}

export function testRedisUrl(): string {
  return serverUrl('TEST_REDIS_URL');
}
