import { describe, expect, test } from '@jest/globals';
import { createEndpointGuard } from './endpoint-guard.js';
import { HOST, authority, CLOSED_PORTS, loopback, receiver, senderFor } from './testing/sender-fixture.js';
import { createTestAuthority } from './testing/test-certificates.js';

describe('the trace', () => {
  const shown = {
    subject: 'Test server',
    issuer: expect.stringMatching(/^Test authority /),
    validFrom: expect.any(Date),
    validTo: expect.any(Date),
  };
  const ms = expect.any(Number);

  test('of a new connection has every step', async () => {
    const at = await receiver();
    const result = await senderFor(loopback(at.port))();
    expect(result.trace).toEqual({
      connectMs: ms,
      tlsMs: ms,
      tlsProtocol: 'TLSv1.3',
      certificate: shown,
      reusedConnection: false,
      firstByteMs: ms,
    });
  });

  test('of a kept connection has no opening steps, but its certificate', async () => {
    const at = await receiver({ maxVersion: 'TLSv1.2' });
    const post = senderFor(loopback(at.port));
    await post();
    expect((await post()).trace).toEqual({
      tlsProtocol: 'TLSv1.2',
      certificate: shown,
      reusedConnection: true,
      firstByteMs: ms,
    });
  });

  test('has the certificate that was refused', async () => {
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
    const stranger = await createTestAuthority();
    const refused = [
      await authority.issue({ names: [HOST], notAfter }),
      await authority.issue({ names: ['other.partner.test'], notAfter, subject: 'O=Other' }),
      await stranger.issue({ names: [HOST], notAfter }),
    ];
    const subjects: (string | undefined)[] = [];
    for (const issued of refused) {
      const at = await receiver({ certificate: issued });
      const result = await senderFor(loopback(at.port))();
      expect(result.outcome).toBe('tls_failed');
      expect(result.trace).toEqual({
        connectMs: ms,
        tlsMs: ms,
        tlsProtocol: 'TLSv1.3',
        certificate: { ...shown, subject: expect.any(String), validTo: notAfter },
        reusedConnection: false,
      });
      subjects.push(result.trace.certificate?.subject);
    }
    expect(subjects).toEqual(['Test server', 'other.partner.test', 'Test server']);
  });

  test("cuts a certificate's names to the usual length and strips control characters", async () => {
    const subject = `CN=evil\u0007\u202e${'x'.repeat(400)}`;
    const at = await receiver({ certificate: await authority.issue({ names: [HOST], subject }) });
    const { certificate: traced } = (await senderFor(loopback(at.port))()).trace;
    expect(traced?.subject).toMatch(/^evilx{200,249}$/);
  });

  test('ends where the POST ended', async () => {
    expect((await senderFor(loopback(CLOSED_PORTS[0]))()).trace).toEqual({ reusedConnection: false });
  });

  test('has the resolved addresses, 16 at most', async () => {
    const addresses = Array.from({ length: 20 }, (_none, index) => `93.184.215.${index + 1}`);
    const at = await receiver();
    const guard = createEndpointGuard({ resolveHost: async () => addresses });
    const result = await senderFor({
      async admit(url) {
        const verdict = await guard.admit(url);
        if (!verdict.admitted) return verdict;
        const targets = verdict.endpoint.targets.map(({ address }, index) =>
          index === 0 ? { address: '127.0.0.1', port: at.port } : { address, port: at.port },
        );
        return { admitted: true, endpoint: { ...verdict.endpoint, targets } };
      },
    })();
    expect(result.outcome).toBe('delivered');
    expect(result.trace.dnsMs).toBeGreaterThanOrEqual(0);
    expect(result.trace.addresses).toEqual(['127.0.0.1', ...addresses.slice(1, 16)]);
  });
});
