import { describe, expect, test } from '@jest/globals';
import { createSessionCookie } from './cookies.js';

describe('the session cookie', () => {
  test('lacks Secure on a plain loopback address only [SESSION-1]', () => {
    expect(createSessionCookie('http://127.0.0.1:8080').set('token')).toBe(
      'svc_session=token; Path=/; HttpOnly; SameSite=Strict',
    );
    expect(createSessionCookie('http://partner.example').set('token')).toContain('; Secure');
  });

  test('is found among other cookies by its exact name', () => {
    const cookie = createSessionCookie('https://partner.example');
    expect(cookie.read('a=b; __Host-svc_session=token; c=d')).toBe('token');
    expect(cookie.read('svc_session=token; x__Host-svc_session=token')).toBeUndefined();
    expect(cookie.read(undefined)).toBeUndefined();
  });
});
