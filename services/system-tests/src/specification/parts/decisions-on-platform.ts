import type { SpecificationEntry } from '../specification-entry.js';
import {
  COMPANY_MESSAGES,
  EVENT_CATALOGUE_LIST,
  FAULTY_REQUESTS,
  FAULT_SCRIPTS,
  JOB_MESSAGES,
  JOURNAL_PRIVACY,
  PLATFORM,
  PLATFORM_FORMS,
  PLATFORM_ORDER,
  PLATFORM_OVER_BROKER,
  SALES_MESSAGES,
  SALES_MESSAGE_FORMS,
  SANDBOX,
  SANDBOX_FAULTS,
  SIMULATOR,
  SIMULATOR_PROGRAM,
  WAITING_MESSAGES,
} from '../test-files.js';

/** What the decisions say of the platform's messages and of the sandbox. */
export const DECISIONS_ON_PLATFORM: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / The platform',
    says: 'Every message of the platform names one thing by its id, with a `version` that rises with each message about it.',
    provedBy: {
      [PLATFORM_FORMS]: ['a message of the platform > names every field that is missing'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'A message has effect once: it is known by its message id, and by what it is about and the version.',
    provedBy: {
      [PLATFORM]: ['the platform > may send a message twice, also at the same time: it takes effect once'],
      [SALES_MESSAGES]: [
        '$event > is told once, however often it comes: by its message and by its version, also at the same time',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'What sets the state of a job, a company or a membership: for each part (assignment, scope, readiness, schedule, each document, cancellation) the newest version counts; an older one that comes late changes nothing and makes no event.',
    provedBy: {
      [JOB_MESSAGES]: [
        'another scope > that comes late changes nothing, and one whose number does not rise is refused',
        'a document > is shown and told with the time of the platform, each version once',
        'a job that is taken from its company > stays with nobody when the older assignment comes late',
      ],
      [COMPANY_MESSAGES]: [
        'a company of the platform > takes its newest name and its newest links, in whatever order they come',
        'a membership of the platform > is as its newest version says, and keeps the password',
      ],
      [PLATFORM_ORDER]: [
        'what the platform tells > ends in the same, whatever order it comes in, how often, and with some of it lost',
        'what the platform tells > ends in the same when all of it comes at once',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'The end does not depend on the order of messages.',
    provedBy: {
      [PLATFORM_ORDER]: [
        'what the platform tells > ends in the same, whatever order it comes in, how often, and with some of it lost',
        'what the platform tells > ends in the same when all of it comes at once',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'Only of messages that contradict each other (an assignment or a schedule with a later version than the cancellation, a scope whose number does not rise with its version), and of those that take a job from a company and give it back (what the company has written stands when the later one comes first), it depends on which comes first.',
    provedBy: {
      [JOB_MESSAGES]: [
        'a job that is taken from its company > and given back: what it has written stands when the later message comes first',
        'a cancellation > ends what came before it: older messages still count, newer assignments and schedules are refused',
        'a cancellation > that comes after what contradicts it leaves the job to the company that has it',
        'another scope > that comes late changes nothing, and one whose number does not rise is refused',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'What tells a fact (quotes, deposits, invoices, rebates, stages, closed projects, appointments, journal entries): every version is told by its event exactly once, also when it comes late, with the version as `resource.version`.',
    provedBy: {
      [SALES_MESSAGES]: [
        '$event > is told to the company of the project, with the version and the instant of the message',
        '$event > that comes late is told too, and what is kept stays',
        'appointment.booked > tells of each version once in whatever order they come; times and notes are those of the newest',
        'an entry of the journal > is told once, and with no link to nobody, also later',
      ],
      [PLATFORM_ORDER]: [
        'what the platform tells > ends in the same, whatever order it comes in, how often, and with some of it lost',
        'what the platform tells > ends in the same when all of it comes at once',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'An address stands for the first project that is heard of with it; another project at the same address has none, and leads merge into the first.',
    provedBy: {
      [PLATFORM]: [
        'the platform > names a project whose address stands for another: it is made without the address, and leads merge as before',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'A thing stays with its project, and an appointment with its lead.',
    provedBy: {
      [SALES_MESSAGES]: [
        'something that is known as of one project is refused for another, and nobody is told',
        'appointment.booked > is refused with another lead than before and with a project of another company',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'The times and the project of an appointment are those of its newest version, its notes those of the newest version that gives any.',
    provedBy: {
      [SALES_MESSAGES]: [
        'appointment.booked > tells of each version once in whatever order they come; times and notes are those of the newest',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'An event never has the notes of a newer version than its own.',
    provedBy: {
      [SALES_MESSAGES]: [
        'appointment.booked > tells of a late version without notes without those of a newer one',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'What comes before the company, project, job or lead that it builds on waits for it, up to 24 hours.',
    provedBy: {
      [WAITING_MESSAGES]: [
        'a message that waits > for companies is recorded once they are there, with what waited for it in turn',
        'a message that waits > is given up after 24 h: it goes to the dead-letter queue with the reason, and sent again it is as new',
      ],
      [SALES_MESSAGES]: [
        '$event > waits for its project and is told when that is there, in the order of the versions',
        'appointment.booked > waits for its lead, then for its project',
      ],
      [PLATFORM]: [
        'the platform > may send what builds on something before that: it is acknowledged, and takes effect after what it waited for',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'An older version of a company or a membership waits no more once a newer one has taken effect.',
    provedBy: {
      [COMPANY_MESSAGES]: [
        'a company of the platform > waits no more for a link that a newer message has dropped',
      ],
      [WAITING_MESSAGES]: [
        'a message that waits > is settled when a newer version has made it void, also when that was recorded by a process that died',
      ],
      [PLATFORM_ORDER]: [
        'what the platform tells > ends in the same, whatever order it comes in, how often, and with some of it lost',
        'what the platform tells > ends in the same when all of it comes at once',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'What is malformed or contradicts what is recorded is dead-lettered with the reason.',
    provedBy: {
      [PLATFORM]: [
        'the platform > is told why a message is dead that is malformed, has no id or contradicts what is recorded',
      ],
      [PLATFORM_OVER_BROKER]: ['job-state on a broker > puts a message aside that is %s, with the reason'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "The selling side can set a job's schedule by the rules of the installers' schedules, and its readiness.",
    provedBy: {
      [JOB_MESSAGES]: [
        'a schedule of the selling side > is shown and told when it differs, and can be called off',
        'a schedule of the selling side > of a completed job is refused',
        'another readiness > is shown and told when it differs from what is shown',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: '`readiness.blockerCodes` are always of the blocker codes of status events.',
    provedBy: {
      [PLATFORM_FORMS]: [
        'a message of the platform > with the fault “%s” is malformed, and the reason does not repeat what it holds',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "A job's scope is acknowledged by the first write that names a version with that scope; until then a write with an earlier version is 409.",
    provedBy: {
      [JOB_MESSAGES]: ['another scope > is shown, and has to be acknowledged with the version that shows it'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'An assignment to the company that has the job resets nothing; one to another company, or to nobody, resets what the installer has set.',
    provedBy: {
      [PLATFORM]: [
        'the platform > takes a job from one company and gives it to another: it leaves no trace of the first one’s work',
        'the platform > does no harm with an assignment that is older than the one in effect or names the same company',
      ],
      [JOB_MESSAGES]: [
        'a job that is taken from its company > is gone for it, and begins at the start with whoever gets it next, also the same company',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "A seller's schedule counts when it is newer than the start of the unbroken time for which the present company has had the job, and when it did not happen before the company has set one itself.",
    provedBy: {
      [JOB_MESSAGES]: [
        'a schedule of the selling side > counts only since its company has the job, whichever message comes first',
        'a schedule of the selling side > that the company told of late had before counts when the job turns out to have been its own',
        'a schedule of the selling side > leaves alone what the company has set after it happened, but not what it has set before',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'A job that is taken from its installer and given to nobody is at its next version then, and at the next again once it is given to somebody; in between its version does not rise.',
    provedBy: {
      [JOB_MESSAGES]: [
        'a job that is taken from its company > is gone for it, and begins at the start with whoever gets it next, also the same company',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'A cancellation is told by `install.job_cancelled`, and by `install.status_changed` as every move of the status.',
    provedBy: { [JOB_MESSAGES]: ['a cancellation > is shown, told and kept in the history, once'] },
  },
  {
    at: 'Decisions / The platform',
    says: 'Nothing opens a cancelled job again, and a changed scope of one is shown, not told.',
    provedBy: {
      [JOB_MESSAGES]: [
        'a cancellation > ends what came before it: older messages still count, newer assignments and schedules are refused',
        'another scope > of a closed job is told to nobody',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'A complete job is neither cancelled nor given to somebody else.',
    provedBy: {
      [JOB_MESSAGES]: [
        'a cancellation > of a completed job is refused',
        'a job that is taken from its company > is refused while it is completed',
      ],
      [PLATFORM]: [
        'the platform > is told why a message is dead that is malformed, has no id or contradicts what is recorded',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'Its schedule is not changed any more, but one from before the completion counts also when it comes late.',
    provedBy: {
      [JOB_MESSAGES]: [
        'a schedule of the selling side > of a completed job is refused',
        'a schedule of the selling side > that comes late, when the job is completed meanwhile, counts as it would have in order',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'A document of category CONTRACT_METADATA is shown in the projection, and no event tells of it.',
    provedBy: {
      [JOB_MESSAGES]: ['a document > is shown and told with the time of the platform, each version once'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "A job shows its selling company's new name from its next change on.",
    provedBy: {
      [JOB_MESSAGES]: [
        'a message about a job > shows a new name of the selling company with the job’s next change, not before',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'The texts of a journal entry are codes, so that no contact details reach an accounting company; an entry with another text is dead-lettered and the reason names the field.',
    provedBy: {
      [JOURNAL_PRIVACY]: [
        'no text of a message about %s brings personal data to an accounting company',
        'a name of a company, which may be any text, is in no event of an accounting company',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: '`invoiceNumber` has capital letters and digits, at least one digit, and single `-`, `.`, `_` or `/` between them; `reasonCode` has capital letters and digits, a letter first, and single `-` or `_` between them.',
    provedBy: {
      [SALES_MESSAGE_FORMS]: [
        'a message about sales > takes the invoice number %s into the journal',
        'a message about sales > takes the reason code %s into the journal',
        'a message about sales > takes no invoice number with %s into the journal, and names the field',
        'a message about sales > takes no reason code with %s into the journal, and names the field',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'No run of digits in a code has 7 digits or more, as a phone number has.',
    provedBy: {
      [SALES_MESSAGE_FORMS]: ['a message about sales > takes no run of digits like %s into the journal'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'Separators do not end a run.',
    provedBy: {
      [SALES_MESSAGE_FORMS]: ['a message about sales > takes no run of digits like %s into the journal'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'A year, or a year and month, with a separator after it is not counted at its beginning, and neither are leading zeros.',
    provedBy: {
      [SALES_MESSAGE_FORMS]: ['a message about sales > takes the invoice number %s into the journal'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'The journal goes to the accounting companies that the company is linked to when an entry is recorded.',
    provedBy: {
      [SALES_MESSAGES]: [
        'an entry of the journal > is told to every linked accounting company: %s',
        'an entry of the journal > is told once, and with no link to nobody, also later',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'An entry never changes; a correction is an adjustment.',
    provedBy: {
      [SALES_MESSAGES]: ['an entry of the journal > is told once, and with no link to nobody, also later'],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "What is known as another company's can not be referred to.",
    provedBy: {
      [SALES_MESSAGES]: [
        'an entry of the journal > is refused when what it refers to is known as another company’s, and nobody is told',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "Amounts of money are whole numbers of the currency's minor unit.",
    provedBy: {
      [EVENT_CATALOGUE_LIST]: [
        'the event catalogue > has a JSON Schema of $name that its example fits, with nothing left out',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'An owner whom the platform tells of signs in once an operator has set a password.',
    provedBy: {
      [COMPANY_MESSAGES]: [
        'a membership of the platform > of an owner appears without a password: nobody can sign in until one is set',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: 'Whom an operator has shut out the platform does not let in again: the password is forgotten.',
    provedBy: {
      [COMPANY_MESSAGES]: [
        'a membership of the platform > lets nobody in again whom an operator has shut out',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "An owner's email address that another membership has is waited for in the same way, so that any exchange of addresses ends the same in every order.",
    provedBy: {
      [COMPANY_MESSAGES]: [
        'a membership of the platform > waits for an address that another one has, until that one leaves it',
        'a membership of the platform > exchanges its address with others, and each keeps the own password, whichever message comes first',
        'a membership of the platform > takes an address that many want at the same time once; the others wait',
      ],
      [WAITING_MESSAGES]: [
        'a message that waits > for an address that another owner keeps is given up after 24 h, with a reason that does not name it',
      ],
      [PLATFORM_ORDER]: [
        'what the platform tells > ends in the same, whatever order it comes in, how often, and with some of it lost',
        'what the platform tells > ends in the same when all of it comes at once',
      ],
    },
  },
  {
    at: 'Decisions / The platform',
    says: "An owner of the same company whom an operator has made with that address becomes the platform's, with the password; that of another company is refused.",
    provedBy: {
      [COMPANY_MESSAGES]: [
        'a membership of the platform > with the address of an owner whom an operator has made > of the same company is that owner from now on, with the password and in the audit trail',
        'a membership of the platform > with the address of an owner whom an operator has made > who was inactive has no password any more',
        'a membership of the platform > with the address of an owner whom an operator has made > of another company is refused, and the reason names neither address nor owner',
      ],
    },
  },
  {
    at: 'Decisions / Sandbox',
    says: "The sandbox's data are invented and the same every time.",
    provedBy: {
      [SANDBOX]: [
        'the sandbox > is the same every time',
        'the sandbox > seeded again is the same and leaves what was changed meanwhile',
      ],
    },
  },
  {
    at: 'Decisions / Sandbox',
    says: 'A simulator can move jobs as the platform and the installers do.',
    provedBy: {
      [SIMULATOR]: ['a stack that simulates lives by itself, and nothing that it is told is refused'],
    },
  },
  {
    at: 'Decisions / Sandbox',
    says: 'Neither runs in production.',
    provedBy: {
      [SIMULATOR_PROGRAM]: ['the simulator does not start in production'],
    },
  },
  {
    at: 'Decisions / Sandbox',
    says: 'An owner can give an API key a fault script (`PUT|GET|DELETE /partner-api/api-keys/{id}/faults`): at most 20 steps (`rate_limited`, `server_error` before or after the effect, `delay` of at most 20 s), each 1 to 100 times, used up in order by the requests with the key; and webhooks of the company that come twice or in another order.',
    provedBy: {
      [SANDBOX_FAULTS]: [
        'in the sandbox > a partner can try a limit, an outage and a lost answer, over all replicas',
        'in the sandbox > webhooks come twice and late, and each of them still comes',
      ],
      [FAULTY_REQUESTS]: [
        'the requests of a key with a fault script > take effect and lose their answers, also refusals: %s',
        'the requests of a key with a fault script > are counted over all replicas, and anew when the script is set anew',
      ],
      [FAULT_SCRIPTS]: [
        'webhooks under a fault script > of the same 4 seconds are due in the opposite order, within 8 seconds',
      ],
    },
  },
  {
    at: 'Decisions / Sandbox',
    says: 'Nothing of fault scripts exists in production: the paths are 404, and a script that is stored has no effect.',
    provedBy: {
      [SANDBOX_FAULTS]: [
        'in production > a fault script that is stored for a key has no effect',
        'in production > there is no path for fault scripts, with a key of the company or without one',
      ],
    },
  },
];
