import type { RefusedRanges } from '../read-refused-ranges.js';
import { BROKER_RULES } from './broker-rules.js';
import type { DeploymentRules } from './deployment-rule.js';
import { LIFE_RULES } from './life-rules.js';
import { MIGRATION_RULES } from './migration-rules.js';
import { createNetworkRules } from './network-rules.js';
import { OBJECT_RULES } from './object-rules.js';
import { POD_RULES } from './pod-rules.js';
import { ROUTING_RULES } from './routing-rules.js';
import { SETTINGS_RULES } from './settings-rules.js';

/** Every rule for the chart of a service. */
export function allRules(refused: RefusedRanges): DeploymentRules {
  return {
    ...OBJECT_RULES,
    ...POD_RULES,
    ...LIFE_RULES,
    ...SETTINGS_RULES,
    ...ROUTING_RULES,
    ...createNetworkRules(refused),
    ...MIGRATION_RULES,
    ...BROKER_RULES,
  };
}
