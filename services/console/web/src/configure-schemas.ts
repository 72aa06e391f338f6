import { config } from 'zod';

// The page's policy forbids eval, which the schemas would use on creation. This must run before any schema is created.
config({ jitless: true });
