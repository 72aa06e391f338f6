/**
 * What partners hold from release 0.1.0, recorded from its build: cursors, and what binds an idempotency key to a body. Every later
 * release accepts it.
 */
export const RELEASE_0_1_0 = {
  signingKey: 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=',
  events: [
    { companyId: 'cmp_1', sequence: '0', givenAt: '2026-11-26', cursor: 'AQAAUS8AAAAAAAAAAKnQLrYrng' },
    { companyId: 'cmp_1', sequence: '7', givenAt: '2026-11-26', cursor: 'AQAAUS8AAAAAAAAAB6nQLrYrng' },
    { companyId: 'cmp_1', sequence: '7', givenAt: '2026-07-29', cursor: 'AQAAULcAAAAAAAAAB6nQLrYrng' },
    {
      companyId: 'cmp_1',
      sequence: '9007199254740993',
      givenAt: '2026-11-27',
      cursor: 'AQAAUTAAIAAAAAAAAanQLrYrng',
    },
    {
      companyId: 'cmp_01kb0e5q3xf4c9t2m8n7v6w5s4',
      sequence: '1000000042',
      givenAt: '2026-11-01',
      cursor: 'AQAAURYAAAAAO5rKKprsIIN4lA',
    },
    {
      companyId: 'cmp_1',
      sequence: '9223372036854775807',
      givenAt: '2026-11-26',
      cursor: 'AQAAUS9__________6nQLrYrng',
    },
  ],
  feed: [
    {
      companyId: 'cmp_1',
      position: { kind: 'feed', sequence: '0' },
      cursor: 'AQAAAAAAAAAAQlw-zLWdorb_HwiTPkIfa_MQ',
    },
    {
      companyId: 'cmp_1',
      position: { kind: 'feed', sequence: '7' },
      cursor: 'AQAAAAAAAAAHvgvwVv-w0uwGHAAby8z4v07a',
    },
    {
      companyId: 'cmp_01kb0e5q3xf4c9t2m8n7v6w5s4',
      position: { kind: 'feed', sequence: '9007199254740993' },
      cursor: 'AQAgAAAAAAABnK0Y2vFBoYlxAEwTO_HxL4gB',
    },
    {
      companyId: 'cmp_1',
      position: { kind: 'snapshot', sequence: '7', afterJobId: 'job_1' },
      cursor: 'AgAAAAAAAAAHBWpvYl8x9tKhX41Hn5fPB5FE8nJoxi5Z',
    },
    {
      companyId: 'cmp_1',
      position: { kind: 'snapshot', sequence: '0', afterJobId: 'job_01kb0e5q3xf4c9t2m8n7v6w5s4' },
      cursor: 'AgAAAAAAAAAAHmpvYl8wMWtiMGU1cTN4ZjRjOXQybThuN3Y2dzVzNO3Yup0y9qvOa3KPxchG9zLcoA',
    },
  ],
  technicians: [
    {
      companyId: 'cmp_1',
      position: '[true,"Ada Cole","mem_1"]',
      cursor: 'QxKXZVVG6UQc1B15k-LKWpMOz4NXK10m1gkTWQwvTKxZ3Tbxr8kMqCxVpuf_0IupjYZU-QY',
    },
    {
      companyId: 'cmp_1',
      position: '[false,"Zoë \\"Z\\" Ådams","mem_01kb0e5q3xf4c9t2m8n7v6w5s4"]',
      cursor:
        '_FLhQ7rxf0W-zOz4nbWZvO7Zk_3PZeodQRiMgIckNKYywdawdQ8uAd415PEdKezyYDchxis712JFp7YbJlRa_A-MZaJF73doD9QNf8XGTW_fTF4feF5eyA',
    },
  ],
  bodies: [
    { text: 'null', sha256: '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b' },
    { text: '-0', sha256: '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9' },
    { text: '"text"', sha256: '1e1d0f251d3a76fa2b1bfc81164078572623403887db02988b504b0492e9f076' },
    {
      text: '{"b":1,"a":{"d":[2,1],"c":null}}',
      sha256: 'bc9ad11b7850575d46b7bdd04896acccd62c7015fa4291f222935e5b95c11d48',
    },
    {
      text: '{"n":1.0,"m":1e3,"k":-0.0,"j":0e5,"i":1E+2,"h":1.50}',
      sha256: '304b5f784823140848498853c642911193dcbba0317c06838972013ab496c806',
    },
    {
      text: '{"a":0.1,"b":0.30000000000000004,"c":1e21,"d":1e-7,"e":123456789012345680000,"f":9007199254740991,"g":9007199254740992,"h":-9007199254740992,"i":1.7976931348623157e308,"j":5e-324,"k":1152921506151679000,"l":0.000001,"m":100000000000000000000,"n":0.10000000000000000000}',
      sha256: '51b47ec566fe3c33f4fed7f7ae6f93412ea54daa1332ad15100c76e192596f8f',
    },
    {
      text: '{"e\\u0301":"NFD","é":"NFC"}',
      sha256: '897b10cef0f117a16e395bf3b5d553fc6fdddbffb887ed8dc71bfb07b653959d',
    },
    {
      text: '{"__proto__":{"admin":true},"a":1}',
      sha256: '2158273da7420b64420f062daa2c6b75e4315c83bb679555c8f5328c05fe6b8f',
    },
    {
      text: '{"10":1,"9":2,"01":3}',
      sha256: 'c016ac5f67f31ef409e93607ad1050a9de38067ba4362ad8c75ab76247f342c2',
    },
    { text: '{"a":1,"a":2}', sha256: '7e8059f495589fcd981232cc11d00b00da3802c01d688fa1cf1f6bed6e5bb33c' },
    {
      text: '{"quote":"\\"9007199254740993\\\\","slash":"\\/","solidus":"/","lone":"\\ud800","emoji":"\\ud83d\\ude00 😀","nul":"\\u0000","sep":"\\u2028"}',
      sha256: '78fadcf13a73f839d63bb6a454156edb0e08720e4029cb2762f58aec0e26bb35',
    },
    {
      text: '{"fullName":"Ada Cole","phone":"+15125550142","externalId":"9007199254740993"}',
      sha256: 'af533d3c7c0fa4b02b5e07e8dd275fccb678b94472cb7e96858aadfab66798f6',
    },
    {
      text: '{"leadId":"lead_01kb0e5q3xf4c9t2m8n7v6w5s4","startsAt":"2026-12-01T15:00:00Z","endsAt":"2026-12-01T16:00:00Z","idempotencyKey":"k-1","notes":null}',
      sha256: '9d9a5473b8b46fbc9c456d2db23d8428447f14fa686eaa548febb099a580e01c',
    },
    {
      text: '{"status":"ACKNOWLEDGED","occurredAt":"2026-11-26T12:00:00Z","expectedVersion":1,"geo":{"lat":30.2672,"lng":-97.7431},"unknown":[1.25,-1e-9]}',
      sha256: 'c3f6da698772c80421a555a3f44cf90dfb9d2f6c9d0fb8d4724e5ea33128c1b3',
    },
    { text: '', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  ],
  /** A gateway's call of a write, and job-state's reply to a call that it does not know. */
  call: {
    type: 'partner.jobs.v1.JobService/RecordStatusEvent',
    path: '/partner/v1/jobs/job_1/status-events',
    idempotencyKey: 'event:1',
    body: '{"status":"ACKNOWLEDGED","occurredAt":"2026-09-01T11:59:00Z","expectedVersion":1}',
    base64:
      'CgVjbXBfMRIFam9iXzEaVgoHZXZlbnQ6MRIpUE9TVCAvcGFydG5lci92MS9qb2JzL2pvYl8xL3N0YXR1cy1ldmVudHMaILQh0jK/9y1Cp54zl/pmrOhLrOLovT3GfOohCgl3ZDT9IAIqBgiE/NrUBkAB',
  },
  /** How job-state stored the outcome of that call. */
  storedOutcome: {
    operation: 'POST /partner/v1/jobs/job_1/status-events',
    bodySha256: 'b421d232bff72d42a79e3397fa66ace84bace2e8bd3dc67cea210a09776434fd',
    outcome: '{"kind":"done","result":"{\\"id\\": \\"job_1\\",\\"version\\":2}"}',
    resource: '{"id": "job_1","version":2}',
  },
  unknownCallReply: {
    type: 'partner.rpc.v1.RpcError',
    base64:
      'Cgt1bmF2YWlsYWJsZRJudGhlIHNlcnZpY2UgaXMgbm90IGF2YWlsYWJsZTsgbm90aGluZyB3YXMgZG9uZTsgcmV0cnksIHdpdGggdGhlIHNhbWUgSWRlbXBvdGVuY3ktS2V5IHdoZXJlIHRoZSByZXF1ZXN0IGhhZCBvbmU4AQ==',
  },
} as const;
