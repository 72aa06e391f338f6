import { expect, test } from '@jest/globals';
import { hasUrl, hasUrlOrDomain } from './name-without-url.js';

test.each([
  'URGENT: verify at https://evil.example/x -',
  'HTTP://EVIL',
  '//evil.example',
  'www.evil.example',
  'evil.example/login',
  'Evil.Example:8080',
  'evil.example./x',
  'evil.xn--p1ai/x',
  '203.0.113.9/x',
  'sms:+15550100',
  'javascript:alert(1)',
  'https\uff1a\uff0f\uff0fevil.example',
  'evil\u3002example/x',
  'evil.exa\u200bmple/x',
])('a URL in the name %j is found, for people and companies [ROLE-7]', (name) => {
  expect([hasUrlOrDomain(name), hasUrl(name)]).toEqual([true, true]);
});

test.each([
  'evil.example',
  'see Evil.Com now',
  'EVIL.COM',
  'evil\uff0ecom',
  'see Evil.De, now',
  'EVIL.CO.UK',
  'Evil.Tech',
  'Dr. Evil.Photography',
  'a@Evil.Online',
  'Smith.md',
  'Smith.MD.Com',
  'evil.MD',
  'EVIL.XN--P1AI',
  '\u0417\u041b\u041e.\u0420\u0424',
])('a domain in the name %j is found for people only [ROLE-7]', (name) => {
  expect([hasUrlOrDomain(name), hasUrl(name)]).toEqual([true, false]);
});

test.each([
  'Dr. Jane A. Smith',
  'J.R.R. Tolkien',
  'Dr.Smith',
  'PROF.DR.SMITH',
  'ST.JOHN A.B.',
  'Dr.Li',
  'Smith.MD',
  'Smith.PhD',
  'Jane Doe.Esq',
  'John.Smith.Sr.',
  'John.Smith',
  "Sinead O'Connor-Lee (she/her)",
  'Re: Max',
  'Anna-Lena \u00d6zt\u00fcrk',
  'A/C Repair 24/7',
  '\u5c71\u7530 \u592a\u90ce',
])('the name %j has none [ROLE-7]', (name) => {
  expect([hasUrlOrDomain(name), hasUrl(name)]).toEqual([false, false]);
});
