import type { SpecificationEntry } from '../specification-entry.js';
import {
  ADDRESS_KEYS,
  BOUNDARIES,
  CONTRACTOR_JOBS,
  CONTRACTOR_JOB_STAGES,
  EMAIL_ADDRESSES,
  INPUT_FORMATS,
  JOB_DECISIONS,
  JOB_MESSAGES,
  JOB_NOTES,
  LEADS,
  MODEL,
  PLATFORM_FORMS,
  SURFACES,
} from '../test-files.js';

/** What the decisions say of the inbound surface. */
export const DECISIONS_ON_INBOUND: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / Inbound',
    says: 'A wrong merge is worse than a missed one: an address without ZIP does not merge with the same one with a ZIP.',
    provedBy: {
      [ADDRESS_KEYS]: [
        'the key of an address > is the same for %j and %j',
        'the key of an address > keeps %j and %j apart',
      ],
      [JOB_DECISIONS]: ['a lead merges with an address that is surely the same, and with no other'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'A line break reads as a comma, so one after a directional is kept (`12 North` / `Elm St`), and any other one inside a street makes no difference.',
    provedBy: {
      [ADDRESS_KEYS]: [
        'the key of an address > is the same for %j and %j',
        'the key of an address > keeps %j and %j apart',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: '`MLK`, `M.L.K.`, `ML King` and `Martin Luther King` are one name, and `Dr` or `Jr` with it makes another.',
    provedBy: {
      [ADDRESS_KEYS]: [
        'the key of an address > is the same for %j and %j',
        'the key of an address > keeps %j and %j apart',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: "An appointment may be about any project of the company, not only the lead's: the platform makes projects that no lead belongs to.",
    provedBy: {
      [JOB_DECISIONS]: [
        'an appointment may be about a project of the company that is not the one of its lead',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'A lead opens a project.',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [LEADS]: ['a lead > at a new address is made with a project, and the platform is told'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'De-duplication key: the normalised address within the company (Unicode NFKC, case, punctuation and spaces folded; USPS Publication 28 suffixes, directionals and unit designators unified; ZIP+4 cut to ZIP).',
    provedBy: {
      [ADDRESS_KEYS]: [
        'the key of an address > is the same for %j and %j',
        'the key of an address > keeps %j and %j apart',
      ],
      [BOUNDARIES]: ['what belongs to another company > as a lead at the same address is no reason to merge'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'Two concurrent posts of one address make one lead.',
    provedBy: {
      [LEADS]: ['a lead > posted many times at once for one address is made once, and nobody waits for ever'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: "A merge keeps the first lead's fields and records the later submission.",
    provedBy: {
      [LEADS]: [
        'a lead > at a known address merges: the first lead keeps its fields and the later submission is recorded',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: '`reason`: `address matches lead <id>` / `address matches project <id>`.',
    provedBy: {
      [BOUNDARIES]: [
        'a resource > a lead is answered with exactly the fields of LeadCreated, then of LeadMerged',
      ],
      [LEADS]: ['a lead > at the address of a project without a lead becomes that project’s lead, once'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'An email address is a mailbox of RFC 5321, dot-atom or quoted, at a domain of two labels or more; no address literals.',
    provedBy: {
      [EMAIL_ADDRESSES]: ['an email address > takes %s', 'an email address > refuses "%s"'],
      [INPUT_FORMATS]: ['an email address > is a mailbox of RFC 5321 in ASCII'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: "It is ASCII, as OpenAPI's `format: email` is: an internationalised one is 400, and its domain is written in Punycode.",
    provedBy: {
      [EMAIL_ADDRESSES]: ['an email address > refuses %s and says that it must be ASCII'],
      [INPUT_FORMATS]: ['an email address > is a mailbox of RFC 5321 in ASCII'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'The same holds for the addresses of owners.',
    provedBy: {
      [PLATFORM_FORMS]: [
        'a message of the platform > with the fault “%s” is malformed, and the reason does not repeat what it holds',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: '`POST /inbound/leads` also takes an optional `Idempotency-Key` header with the rules of the installer writes.',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of $id gives the original answer again, byte for byte, and is kept for 45 days',
        'an Idempotency-Key > of $id gives 409 with another body or for another operation',
        'an Idempotency-Key > of $id is not used up by 400, 401, 403 and 404',
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: "Appointment: a `leadId` or `projectId` that the key's company does not own gives 403, whether it exists or not.",
    provedBy: {
      [BOUNDARIES]: [
        'what belongs to another company > as a lead or project can not get an appointment: 403, whether it exists or not',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: '`endsAt` must be after `startsAt` (400).',
    provedBy: {
      [SURFACES]: [
        'a field > $field of $operation is taken up to its limits, and beyond them is a 400 that names it',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'The 201 body has `appointmentId` and `status: "booked"`; the 200 replay has the same body.',
    provedBy: {
      [SURFACES]: [
        'an Idempotency-Key > of an appointment is in its body: 201, then 200 with the same body, then 409 for another one',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'Job note: appended to `installerNote` on a new line; the 200 body is the ContractorJob.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > gets notes on new lines, which move lastUpdated and the place in the list but no version',
      ],
      [JOB_NOTES]: ['a note > after another one stands on a new line, as it was given'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'It moves `lastUpdated`, not the InstallerJob version.',
    provedBy: {
      [BOUNDARIES]: [
        'a job > gets notes on new lines, which move lastUpdated and the place in the list but no version',
      ],
      [JOB_NOTES]: ['a note > is told to the platform'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: "403 or 404: a job outside the key's boundary is 404.",
    provedBy: {
      [BOUNDARIES]: [
        'what belongs to another company > $id: a job is 404 in the same words as one that does not exist, and stays as it is',
        'what belongs to another company > is not seen by an installer-contractor key: neither what another seller sold nor what another installer performs',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'Takes an optional `Idempotency-Key` as leads do.',
    provedBy: {
      [JOB_NOTES]: ['a note > repeated with its key gives the first answer again and is not appended again'],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'The notes of a job have at most 20,000 characters together, else 422 `note_limit_reached`.',
    provedBy: {
      [JOB_NOTES]: [
        'a note > for which there is no room is refused, and with a key the refusal is kept and repeated',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: "Notes belong to the assignment: a job that changes hands begins with no note, and no key reads the earlier ones, but for a replay of a company's own write.",
    provedBy: {
      [JOB_MESSAGES]: ['a job that is taken from its company > shows the notes of its company to no other'],
      [JOB_DECISIONS]: ['the notes of a job begin anew with each installer company that gets it'],
      [MODEL]: [
        'whatever the clients of several companies do at once, each write takes effect once and nobody sees what is not theirs',
      ],
    },
  },
  {
    at: 'Decisions / Inbound',
    says: 'The platform has received each note.',
    provedBy: { [JOB_NOTES]: ['a note > is told to the platform'] },
  },
  {
    at: 'Decisions / Inbound',
    says: '`ContractorJob.stage`: `SOLD`, `SCHEDULED`, `IN_PROGRESS`, `BLOCKED`, `COMPLETE`, `CANCELLED`, derived from the job.',
    provedBy: {
      [BOUNDARIES]: ['a job > is at the stage of ContractorJob that its status and schedule say'],
      [CONTRACTOR_JOB_STAGES]: ['a job that is %s has the stage of the table, whatever its schedule'],
      [CONTRACTOR_JOBS]: ['the list of sold jobs > derives the stage from status and schedule'],
    },
  },
];
