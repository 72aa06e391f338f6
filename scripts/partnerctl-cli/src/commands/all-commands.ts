import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CommandContext } from '../command-context.js';
import { announcementsCommand } from './announcements.js';
import { companiesCommand } from './companies.js';
import { applyCommand, exportCommand, planCommand } from './configuration.js';
import { conformanceCommand } from './conformance.js';
import { deadLettersCommand } from './dead-letters.js';
import { deliveriesCommand } from './deliveries.js';
import { doctorCommand } from './doctor.js';
import { eventsCommand } from './events.js';
import { jobsCommand } from './jobs.js';
import { keysCommand } from './keys.js';
import { ownersCommand } from './owners.js';
import { peopleCommand } from './people.js';
import { platformCommand } from './platform.js';
import { restoreCommand } from './restore.js';
import { statusCommand } from './status.js';
import { subscriptionsCommand } from './subscriptions.js';

/** Every command, in the order of the help; one file for each group. */
export function allCommands(context: CommandContext): CommandUnknownOpts[] {
  return [
    companiesCommand(context),
    ownersCommand(context),
    keysCommand(context),
    announcementsCommand(context),
    subscriptionsCommand(context),
    planCommand(context),
    applyCommand(context),
    exportCommand(context),
    deliveriesCommand(context),
    eventsCommand(context),
    jobsCommand(context),
    deadLettersCommand(context),
    peopleCommand(context),
    statusCommand(context),
    doctorCommand(context),
    restoreCommand(context),
    conformanceCommand(context),
    platformCommand(context),
  ];
}
