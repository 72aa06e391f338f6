import { config } from 'zod';

// The page's policy lets nothing make code from text, which the schemas would try as they are made: so before any is.
config({ jitless: true });

void import('./start.js').then(({ start }) => start());
