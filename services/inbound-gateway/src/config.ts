import { commonConfig, httpConfig } from '@partner/kernel/process/config';
import { z } from 'zod';

export const config = z.object({ ...commonConfig, ...httpConfig });
