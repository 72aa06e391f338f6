import { commonConfig, httpConfig } from '@partner/kernel/process/config';
import { z } from 'zod';

/** Settings of installer-gateway. */
export const config = z.object({ ...commonConfig, ...httpConfig });
