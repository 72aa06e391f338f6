import type { SpecificationEntry } from '../specification-entry.js';
import {
  ANNOUNCEMENTS,
  ANNOUNCEMENTS_BY_OPERATORS,
  CONSOLE_SETTINGS,
  CONTACT_PAGES,
  MAIL,
  TECHNICAL_CONTACT,
  TECHNICAL_CONTACT_ROUTES,
} from '../test-files.js';

/** What the decisions say of announcements and of who gets them. */
export const DECISIONS_ON_ANNOUNCEMENTS: readonly SpecificationEntry[] = [
  {
    at: 'Decisions / Announcements',
    says: 'A company has a technical contact: one email address, set by an owner (`GET|PUT /partner-api/technical-contact`) or an operator.',
    provedBy: {
      [TECHNICAL_CONTACT]: ['a technical contact > belongs to one company'],
      [TECHNICAL_CONTACT_ROUTES]: [
        'a technical contact > is pending until somebody confirms it with the mailed link, without a session',
      ],
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'a technical contact is set by an operator and confirmed by the mailed link',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'An address with a quoted local part is 400: mail servers disagree on it.',
    provedBy: {
      [MAIL]: ['a technical contact has no address that mail servers read differently: %s'],
      [TECHNICAL_CONTACT_ROUTES]: ['a technical contact > needs a recent password, and an address'],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'An address becomes the contact once a link mailed to it is confirmed, once and within 72 hours.',
    provedBy: {
      [TECHNICAL_CONTACT]: ['a token > works once', 'a token > works for 72 hours'],
      [TECHNICAL_CONTACT_ROUTES]: [
        'a technical contact > is confirmed once: a used or made-up link is 404 and says nothing of the company',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'A new address needs a confirmation of its own; the former one stays until then.',
    provedBy: {
      [TECHNICAL_CONTACT]: [
        'a technical contact > stays while another address is pending',
        'a token > ends with the next address, and an unknown one confirms nothing',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'Setting an address needs a recent password, as making a secret does (`confirmation_required`).',
    provedBy: {
      [TECHNICAL_CONTACT_ROUTES]: ['a technical contact > needs a recent password, and an address'],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'The link opens a page that needs no session, and its token is the fragment, which stands in no access log.',
    provedBy: {
      [CONTACT_PAGES]: [
        'an owner sets the technical contact, and somebody without a session confirms it with the mailed link',
      ],
      [TECHNICAL_CONTACT_ROUTES]: [
        'a technical contact > is pending until somebody confirms it with the mailed link, without a session',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: "Only the token's SHA-256 is stored, and `POST /partner-api/technical-contact/confirm` says nothing of the company.",
    provedBy: {
      [TECHNICAL_CONTACT_ROUTES]: [
        'a technical contact > is confirmed once: a used or made-up link is 404 and says nothing of the company',
      ],
      [TECHNICAL_CONTACT]: [
        'an unknown company, what is no address, and a token of another length change nothing',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'The console mails the links of owners and `partnerctl` those of operators.',
    provedBy: {
      [TECHNICAL_CONTACT_ROUTES]: [
        'a technical contact > is pending until somebody confirms it with the mailed link, without a session',
      ],
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'a technical contact is set by an operator and confirmed by the mailed link',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'The addresses are stored by job-state, which sends no email: it holds all data and reaches Postgres and the broker alone.',
    requiresNothing: 'a division of work; the rules of the charts let the console alone reach a mail server',
  },
  {
    at: 'Decisions / Announcements',
    says: 'When an email cannot be sent, nothing changes.',
    provedBy: {
      [TECHNICAL_CONTACT_ROUTES]: [
        'a technical contact > does not change while the mail server is away, and does once it is back',
        'a technical contact > that the mail server refuses does not become pending, and stands in no log',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'One email takes at most 8 seconds.',
    provedBy: {
      [MAIL]: [
        'an email that the mail server does not take > in time, while it goes on responding, may arrive all the same',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'If the mail server does not respond, the 503 says that the email may still arrive and that its link does not work.',
    provedBy: {
      [TECHNICAL_CONTACT_ROUTES]: [
        'a technical contact > does not change while the mail server is away, and does once it is back',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'Without a mail server an address is pending, the response says that no email was sent, and the link is logged on a loopback base address only.',
    provedBy: {
      [TECHNICAL_CONTACT_ROUTES]: [
        'without a mail server > at %s an address is pending, and the link is logged: %s',
      ],
      [CONSOLE_SETTINGS]: ['the mail server > may be left out, and needs a sender'],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'For one company at most 3 links are mailed in 60 seconds, and from one client address at most 20 are tried.',
    provedBy: {
      [TECHNICAL_CONTACT_ROUTES]: [
        'at most 3 links are mailed for a company, and 20 tried from a client network, in 60 seconds',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: "`partnerctl announcements send <date>` mails the changelog's entry of that date to each confirmed technical contact, and records for each address when it was sent and by whom.",
    provedBy: {
      [ANNOUNCEMENTS]: [
        'an announcement is for confirmed contacts that have not got it, and recorded once for each address',
      ],
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'an announcement is mailed once to each confirmed contact, goes on past a refused address, and is listed',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'A repeat mails it to those alone that have not got it.',
    provedBy: {
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'an announcement is mailed once to each confirmed contact, goes on past a refused address, and is listed',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'An email is recorded after it was sent: a run that ends in between leads to one repeat, never to an omission.',
    provedBy: {
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'an announcement is mailed once to each confirmed contact, goes on past a refused address, and is listed',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'A run claims each address just before it sends: of several runs at once, one sends.',
    provedBy: {
      [ANNOUNCEMENTS]: [
        'of runs that claim an announcement to an address at once, one gets it, until it is sent, released or 5 minutes old',
      ],
      [ANNOUNCEMENTS_BY_OPERATORS]: ['two runs at once mail an announcement once'],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'What another run has claimed is skipped (exit code 1).',
    provedBy: {
      [ANNOUNCEMENTS_BY_OPERATORS]: ['two runs at once mail an announcement once'],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'A claim of a run that ended counts for 5 minutes.',
    provedBy: {
      [ANNOUNCEMENTS]: [
        'of runs that claim an announcement to an address at once, one gets it, until it is sent, released or 5 minutes old',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'A permanent refusal (5xx to `RCPT TO` or `DATA`) keeps no other address from its email (exit code 1).',
    provedBy: {
      [MAIL]: [
        'an email that the mail server does not take > with a response to %s of %i is refused for its recipient alone: %s',
      ],
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'an announcement is mailed once to each confirmed contact, goes on past a refused address, and is listed',
      ],
    },
  },
  {
    at: 'Decisions / Announcements',
    says: 'Any other failure of the mail server ends the run (exit code 4).',
    provedBy: {
      [MAIL]: [
        'an email that the mail server does not take > because of its sender is refused for every recipient',
      ],
      [ANNOUNCEMENTS_BY_OPERATORS]: [
        'an announcement is mailed once to each confirmed contact, goes on past a refused address, and is listed',
      ],
    },
  },
];
