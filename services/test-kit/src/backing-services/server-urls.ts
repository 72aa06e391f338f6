/** The servers that integration tests use; `scripts/test` starts them and sets the variables. */
function partUrl(variable: string): string {
  const url = process.env[variable];
  if (url === undefined || url === '') throw new Error(`${variable} is not set; run scripts/test`);
  return url;
}

/** URL of a Postgres server as superuser, database `postgres`. Throws when the tests were started without one. */
export function testPostgresUrl(): string {
  return partUrl('TEST_POSTGRES_URL');
}

/** URL of a RabbitMQ server, default vhost. Throws when the tests were started without one. */
export function testAmqpUrl(): string {
  return partUrl('TEST_AMQP_URL');
}

/** URL of a Redis server. Throws when the tests were started without one. */
export function testRedisUrl(): string {
  return partUrl('TEST_REDIS_URL');
}
